/** The scripts that run inside a page. They are source text, because they run in the browser. */
import { STEADY_MS } from "./quiet.ts";

/** The isolated world they run in: the page's own scripts can neither see nor break it. */
export const WORLD = "trawl";

/**
 * Installed in every new document, before any script of the page.
 * Only attributes with facts are watched: a spinner that changes its style forever must not delay us.
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

  // Frames without an address of their own: their content is found nowhere else.
  const ownFrames = (root, found) => {
    for (const frame of root.querySelectorAll("iframe, frame")) {
      const body = frame.contentDocument?.body;
      // A document that a script writes takes the address of its writer.
      const isOwn = !/^(?!about:|javascript:)./i.test(frame.getAttribute("src") ?? "") || /^about:/.test(body?.ownerDocument.URL);
      if (!body || !isOwn) continue;
      found.push({ frame, body });
      ownFrames(body, found);
    }
    return found;
  };

  const inner = (element, shadowRoots) =>
    shadowRoots.length === 0 || !element.getHTML ? element.innerHTML : element.getHTML({ shadowRoots });

  const serialise = (closedRoots) => {
    const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
    const element = document.documentElement;
    if (!element) return doctype;
    const shadowRoots = openRoots(document, [...closedRoots]);
    for (const root of closedRoots) openRoots(root, shadowRoots);
    const frames = [document, ...shadowRoots].flatMap((root) => ownFrames(root, []));
    const mark = "trawl-" + Math.random();
    frames.forEach(({ frame, body }, index) => {
      if (body.baseURI !== document.baseURI) absolute(body);
      openRoots(body, shadowRoots);
      frame.after(new Comment(mark + index));
    });
    // outerHTML leaves shadow roots out, and getHTML the element itself.
    const shell = element.cloneNode(false).outerHTML;
    const end = shell.lastIndexOf("</");
    let html = doctype + shell.slice(0, end) + inner(element, shadowRoots) + shell.slice(end);
    frames.forEach(({ body }, index) => {
      html = html.replace("<!--" + mark + index + "-->", () => "<div>" + inner(body, shadowRoots) + "</div>");
    });
    return html;
  };

  const absolute = (body) => {
    for (const name of ["href", "src", "action"]) {
      for (const element of body.querySelectorAll("[" + name + "]")) {
        if (typeof element[name] === "string") element.setAttribute(name, element[name]);
      }
    }
  };

  // The page itself, or the element that an application scrolls instead.
  const tallest = () => {
    const root = document.scrollingElement ?? document.documentElement;
    if (root.scrollHeight > root.clientHeight + 1) return root;
    const hidden = (element) => element.scrollHeight - element.clientHeight;
    let found = root;
    for (const element of document.querySelectorAll("body *")) {
      if (hidden(element) > hidden(found) && /auto|scroll/.test(getComputedStyle(element).overflowY)) found = element;
    }
    return found;
  };

  self.trawl = {
    probe: () => ({ mutations, parsed: document.readyState !== "loading" }),
    // When this resolves, callbacks that wait for a frame or an idle moment have had their chance. Animations run in
    // real time, so those that have an end are taken there.
    drawn: () => {
      for (const animation of document.getAnimations()) {
        const { endTime } = animation.effect?.getComputedTiming() ?? {};
        if (animation.playState === "running" && endTime <= ${STEADY_MS}) animation.finish();
      }
      return new Promise((done) => requestAnimationFrame(() => requestIdleCallback(() => done(true))));
    },
    // Whether there was more to see.
    scroll: () => {
      const scroller = tallest();
      const before = scroller.scrollTop;
      scroller.scrollBy({ top: innerHeight * 0.9, behavior: "instant" });
      return scroller.scrollTop > before;
    },
    // "closedRoots" cannot be found from here.
    snapshot: (maxLength, ...closedRoots) => {
      const html = serialise(closedRoots);
      return { html: html.slice(0, maxLength), truncated: html.length > maxLength, url: location.href, base: document.baseURI };
    },
  };
}`;

/**
 * In the world of the page's scripts, and in workers: what they still wait for. Frames of the same origin add to what the page
 * knows. Frames are drawn in real time, so a chain of them would take seconds; here a frame is a timer of the page's own time.
 * Natives are wrapped in proxies, which read like them.
 */
export const watcher = (key: string): string => `(() => {
  const key = Symbol.for("${key}");
  const { apply } = Reflect;
  const now = Date.now;
  const clock = performance;
  const nativeSetTimeout = self.setTimeout;
  const isWorker = typeof document === "undefined";
  let watch;
  try {
    if (self !== top) watch = top[key];
  } catch {
    // A worker, or a frame of another origin, is on its own.
  }
  if (!watch) {
    const due = new Map();
    const repeating = new Set();
    let set = 0;
    watch = {
      next: 0,
      timer(name, after, ms) {
        set++;
        if (ms <= ${STEADY_MS}) due.set(name, now() + after);
        if (due.size > 10_000) this.read();
      },
      repeat(name) { repeating.add(name); },
      clear(name) { due.delete(name); repeating.delete(name); },
      waiting: 0,
      asked: 0,
      closedRoots: 0,
      read() {
        const passed = now() - 10;
        for (const [name, at] of due) if (at < passed) due.delete(name);
        const chains = repeating.size + (this.waiting > 0 ? 1 : 0);
        return { timers: due.size, timersSet: set, repeating: chains, asked: this.asked, closedRoots: this.closedRoots };
      },
    };
    Object.defineProperty(self, key, { value: watch });
  }
  const place = watch.next++;
  const name = (id) => place + ":" + id;
  const delay = (ms) => (typeof ms === "number" || typeof ms === "string" ? Math.max(0, Number(ms) || 0) : 0);
  const wrap = (owner, property, called) => {
    const native = owner[property];
    if (typeof native === "function") owner[property] = new Proxy(native, { apply: called });
    // When this runs in a worker, its functions do not exist there yet.
    else if (isWorker) {
      const later = (_native, that, args) => called(WorkerGlobalScope.prototype[property], that, args);
      owner[property] = new Proxy(() => {}, { apply: later });
    }
  };
  wrap(self, "setTimeout", (native, that, args) => {
    let id;
    // A worker's clock follows the page's, but its timers take real time: only a call of their callback shows that they
    // are over.
    const called = isWorker && typeof args[0] === "function" && function (...values) {
      watch.clear(name(id));
      return apply(args[0], this, values);
    };
    id = apply(native, that, called ? [called, ...args.slice(1)] : args);
    watch.timer(name(id), called ? Infinity : delay(args[1]), delay(args[1]));
    return id;
  });
  wrap(self, "setInterval", (native, that, args) => {
    const id = apply(native, that, args);
    watch.repeat(name(id));
    return id;
  });
  for (const property of ["clearTimeout", "clearInterval"]) {
    wrap(self, property, (native, that, args) => {
      watch.clear(name(args[0]));
      return apply(native, that, args);
    });
  }

  if (isWorker) return;
  const callbacks = new Map();
  let lastFrame = 0;
  const draw = () => {
    const due = [...callbacks.values()];
    callbacks.clear();
    watch.waiting -= due.length;
    const time = clock.now();
    for (const callback of due) {
      try {
        callback(time);
      } catch (error) {
        reportError(error);
      }
    }
  };
  wrap(self, "requestAnimationFrame", (native, that, args) => {
    if (typeof args[0] !== "function") return apply(native, that, args);
    if (callbacks.size === 0) apply(nativeSetTimeout, self, [draw, 16]);
    callbacks.set(++lastFrame, args[0]);
    watch.waiting++;
    return lastFrame;
  });
  wrap(self, "cancelAnimationFrame", (_native, _that, args) => {
    if (callbacks.delete(args[0])) watch.waiting--;
  });
  // Databases, caches, files, digests, images and fonts: other processes and threads answer, in real time.
  const answered = () => { watch.asked--; };
  const asks = (owner, properties, wait) => {
    for (const property of properties.split(" ")) {
      if (typeof self[owner]?.prototype[property] !== "function") continue;
      wrap(self[owner].prototype, property, (native, that, args) => {
        const answer = apply(native, that, args);
        watch.asked++;
        wait(answer, that);
        return answer;
      });
    }
  };
  const promised = (answer) => answer.then(answered, answered);
  const requested = (request) => {
    let open = true;
    const once = () => { if (open) { open = false; answered(); } };
    for (const type of ["success", "error", "blocked"]) request.addEventListener(type, once);
  };
  const loaded = (_answer, reader) => reader.addEventListener("loadend", answered, { once: true });
  asks("IDBFactory", "open deleteDatabase", requested);
  asks("IDBFactory", "databases", promised);
  const READS = "get getKey getAll getAllKeys count openCursor openKeyCursor";
  asks("IDBObjectStore", READS + " put add delete clear", requested);
  asks("IDBIndex", READS, requested);
  asks("CacheStorage", "open match has keys delete", promised);
  asks("Cache", "match matchAll put add addAll delete keys", promised);
  asks("SubtleCrypto", "digest sign verify encrypt decrypt generateKey deriveKey deriveBits importKey exportKey", promised);
  asks("Blob", "text arrayBuffer", promised);
  asks("FileReader", "readAsText readAsArrayBuffer readAsDataURL", loaded);
  asks("HTMLImageElement", "decode", promised);
  asks("FontFace", "load", promised);
  asks("FontFaceSet", "load", promised);
  asks("StorageManager", "estimate persisted getDirectory", promised);
  asks("Permissions", "query", promised);
  wrap(Element.prototype, "attachShadow", (native, that, args) => {
    const root = apply(native, that, args);
    if (root.mode === "closed") watch.closedRoots++;
    return root;
  });
})()`;

export interface Watched {
  timers: number;
  timersSet: number;
  repeating: number;
  /** Questions to the browser that it has not answered yet. */
  asked: number;
  closedRoots: number;
}

/**
 * In the page's own world: a service worker would answer for the server and outlive the page, and the browser would load it
 * past interception. One can be registered, but it never becomes active.
 */
export const NO_SERVICE_WORKERS = `{
  if (self.ServiceWorkerContainer) {
    const registration = (scope) => Object.defineProperties(new EventTarget(), {
      scope: { value: scope },
      updateViaCache: { value: "imports" },
      ...Object.fromEntries(["installing", "waiting", "active"].map((name) => [name, { value: null }])),
      update: { value: () => Promise.resolve() },
      unregister: { value: () => Promise.resolve(true) },
    });
    const own = {
      register: (url, options) => Promise.resolve().then(() =>
        registration(new URL(options?.scope ?? "./", new URL(url, document.baseURI)).href)),
      getRegistration: () => Promise.resolve(undefined),
      getRegistrations: () => Promise.resolve([]),
    };
    const never = new Promise(() => {});
    for (const name in own) Object.defineProperty(ServiceWorkerContainer.prototype, name, { value: own[name] });
    Object.defineProperty(ServiceWorkerContainer.prototype, "ready", { get: () => never });
  }
}`;

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
