/** The scripts that run inside a page: source text, because they live in the browser. */

/** The isolated world they run in: the page's own scripts can neither see nor break it. */
export const WORLD = "trawl";

/**
 * Installed in every new document, before any script of the page.
 * Only attributes that carry facts are watched: a spinner that changes its style for ever must not hold us up.
 */
export const OBSERVER = `{
  let mutations = 0;
  const unspeculate = (node) => {
    if (node.localName === "script" && node.type === "speculationrules") node.remove();
  };
  new MutationObserver((records) => {
    mutations += records.length;
    for (const record of records) {
      for (const node of record.addedNodes) {
        if (node.nodeType !== 1) continue;
        // Speculation rules load other pages, and no interception sees those requests.
        unspeculate(node);
        if (node.firstElementChild) node.querySelectorAll("script[type]").forEach(unspeculate);
      }
    }
  }).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: ["href", "src", "srcset", "content", "rel", "lang", "alt", "title"],
  });

  // Navigations to http are stopped on the network, where they are seen. These never get there, and would replace
  // the page by an empty or made-up one.
  self.navigation?.addEventListener("navigate", (event) => {
    const { sameDocument, url } = event.destination;
    if (self === top && !sameDocument && event.cancelable && !/^https?:/.test(url)) event.preventDefault();
  });

  // A page that is left may send a farewell, which the browser sends on by itself, past interception. Ours is the first
  // listener, so that the page never hears that it is left.
  for (const type of ["pagehide", "unload", "visibilitychange"]) {
    self.addEventListener(type, (event) => {
      if (type !== "visibilitychange" || document.visibilityState === "hidden") event.stopImmediatePropagation();
    }, true);
  }

  const openRoots = (root, found) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) {
        found.push(element.shadowRoot);
        openRoots(element.shadowRoot, found);
      }
    }
    return found;
  };

  const serialise = () => {
    const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
    const element = document.documentElement;
    if (!element) return doctype;
    const shadowRoots = openRoots(document, []);
    if (shadowRoots.length === 0 || !element.getHTML) return doctype + element.outerHTML;
    // outerHTML leaves shadow roots out, and getHTML the element itself.
    const shell = element.cloneNode(false).outerHTML;
    const end = shell.lastIndexOf("</");
    return doctype + shell.slice(0, end) + element.getHTML({ shadowRoots }) + shell.slice(end);
  };

  self.trawl = {
    probe: () => ({ mutations, parsed: document.readyState !== "loading" }),
    // What waits for a frame or for an idle moment has had its chance when this resolves.
    drawn: () => new Promise((done) => requestAnimationFrame(() => requestIdleCallback(() => done(true)))),
    snapshot: (maxLength) => {
      const html = serialise();
      return { html: html.slice(0, maxLength), truncated: html.length > maxLength, url: location.href, base: document.baseURI };
    },
  };
}`;

/**
 * In the page's own world: a service worker would answer for the server and outlive the page. A browser without them
 * is one that every page must expect.
 */
export const NO_SERVICE_WORKERS = "delete Navigator.prototype.serviceWorker;";

export interface Probe {
  mutations: number;
  parsed: boolean;
}

export interface Snapshot {
  html: string;
  truncated: boolean;
  url: string;
  base: string;
}
