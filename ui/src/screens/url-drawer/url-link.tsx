/** A URL that opens its drawer; pressed inside one, the drawer shows that URL, and can go back. */
import { UrlText } from "../../components/url-text.tsx";
import { useInspect } from "./use-inspect.ts";

export function UrlLink({ url }: { url: string }) {
  const { open, follow, url: current } = useInspect();
  if (url === current) return <UrlText url={url} />;
  return (
    <button type="button" className="url-link" onClick={() => (current === null ? open(url) : follow(url))}>
      <UrlText url={url} />
    </button>
  );
}
