/** The worker that all tabs of a browser share: it has the only event stream. */
import { API } from "../lib/api.ts";
import { LEAVE, NewsHub, newsSource } from "../lib/news-stream.ts";

const hub = new NewsHub(newsSource(`${API}/events`));

addEventListener("connect", (event) => {
  const port = (event as MessageEvent).ports[0]!;
  const leave = hub.join((message) => port.postMessage(message));
  port.addEventListener("message", ({ data }) => {
    if (data !== LEAVE) return;
    leave();
    port.close();
  });
  port.start();
});
