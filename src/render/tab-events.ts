/** Passes the browser's events about a tab to the page in it. */
import type { CDPSession } from "puppeteer-core";
import { WORLD } from "./page-scripts.ts";
import type { Visit } from "./render-visit.ts";

export interface TabListener {
  /** The page in the tab; null between pages. */
  readonly visit: Visit | null;
  readonly proxyCredentials: { username: string; password: string } | null;
  /** Installed in every worker. */
  readonly watcher: string;
  crashed(): void;
}

/** A command whose failure only means that the page is gone. */
const quietly = (sent: Promise<unknown>): void => void sent.catch(() => {});

export function listen(session: CDPSession, mainFrame: string, tab: TabListener): void {
  session.on("Fetch.requestPaused", (event) => {
    const { requestId } = event;
    quietly(
      tab.visit?.traffic.paused(event) ?? session.send("Fetch.failRequest", { requestId, errorReason: "Aborted" }),
    );
  });
  session.on("Fetch.authRequired", ({ requestId, authChallenge }) => {
    const credentials = authChallenge.source === "Proxy" ? tab.proxyCredentials : null;
    const authChallengeResponse: { response: "ProvideCredentials" | "CancelAuth" } =
      credentials === null ? { response: "CancelAuth" } : { response: "ProvideCredentials", ...credentials };
    quietly(session.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }));
  });
  session.on("Runtime.executionContextCreated", ({ context }) => {
    if (context.name === WORLD && context.auxData?.frameId === mainFrame) tab.visit?.entered(context);
  });
  session.on("Page.navigatedWithinDocument", ({ frameId, url }) => {
    if (frameId === mainFrame) tab.visit?.moved(url);
  });
  session.on("Emulation.virtualTimeBudgetExpired", () => tab.visit?.time.wake());
  session.on("Runtime.consoleAPICalled", (event) => tab.visit?.console.called(event));
  session.on("Runtime.exceptionThrown", (event) => tab.visit?.console.thrown(event));
  session.on("Log.entryAdded", (event) => tab.visit?.console.logged(event));
  session.on("Page.javascriptDialogOpening", ({ type }) => {
    // Only "leave this page?" is answered with yes.
    quietly(session.send("Page.handleJavaScriptDialog", { accept: type === "beforeunload" }));
  });
  session.on("Inspector.targetCrashed", () => tab.crashed());
  session.on("sessionattached", (worker: CDPSession) => {
    tab.visit?.employed(worker);
    listenToNetwork(worker, tab);
    // A worker waits for us, so that none of its requests is missed.
    quietly(worker.send("Network.enable"));
    quietly(worker.send("Runtime.evaluate", { expression: tab.watcher }));
    quietly(worker.send("Runtime.runIfWaitingForDebugger"));
  });
  listenToNetwork(session, tab);
}

function listenToNetwork(session: CDPSession, tab: TabListener): void {
  session.on("Network.requestWillBeSent", (event) => tab.visit?.traffic.began(event));
  session.on("Network.responseReceived", ({ requestId, response }) =>
    tab.visit?.requests.answered(requestId, response),
  );
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) =>
    tab.visit?.requests.finished(requestId, encodedDataLength),
  );
  session.on("Network.loadingFailed", ({ requestId, errorText }) => tab.visit?.requests.failed(requestId, errorText));
  session.on("Network.webSocketCreated", (event) => tab.visit?.requests.beganSocket(event));
  session.on("Network.webSocketHandshakeResponseReceived", ({ requestId, response }) =>
    tab.visit?.requests.answered(requestId, response),
  );
  session.on("Network.webSocketFrameError", ({ requestId, errorMessage }) =>
    tab.visit?.requests.failed(requestId, errorMessage),
  );
}
