/** TanStack Virtual over a scaled area: it counts real pixels of rows, while the browser scrolls over fewer. */
import { useVirtualizer, type VirtualItem, type Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useLayoutEffect, useState } from "react";
import { ScrollScale } from "./scroll-scale.ts";

/** Rows rendered beyond the edges, so that scrolling shows no gap. */
const OVERSCAN = 8;
/** After this long without a step, scrolling has ended; momentum scrolling pauses for less. */
const REST_MS = 160;

export interface ScaledRows {
  items: VirtualItem[];
  /** Height of the scroll area. */
  height: number;
  /** Where a row is in the scroll area. */
  placeOf: (item: VirtualItem) => number;
  /** First visible pixel, in real pixels. */
  top: () => number;
  scrollTo: (top: number) => void;
}

export function useScaledRows(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  headHeight: number,
): ScaledRows {
  const [scale] = useState(() => new ScrollScale());
  const virtualizer = useVirtualizer<HTMLElement, HTMLElement>({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    observeElementOffset: (instance, report) => observe(instance, scale, report),
  });
  const viewport = Math.max(0, (virtualizer.scrollRect?.height ?? 0) - headHeight);
  // During render: the height must be known before the browser does layout and clamps the scroll bar.
  const shownTop = scale.resize(count * rowHeight, viewport);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of size sets the scroll bar; scrolling itself must not.
  useLayoutEffect(() => setTop(scroller.current, shownTop), [count, viewport]);
  return {
    items: virtualizer.getVirtualItems(),
    height: scale.shownHeight,
    placeOf: ({ start }) => start - scale.shift,
    top: () => scale.realTop,
    scrollTo: (top) => setTop(scroller.current, scale.goTo(top)),
  };
}

/** A fraction of a pixel is the browser's rounding; setting it would trigger another scroll. */
function setTop(element: HTMLElement | null, shownTop: number): void {
  if (element !== null && Math.abs(element.scrollTop - shownTop) >= 1) element.scrollTop = shownTop;
}

type Report = (offset: number, isScrolling: boolean) => void;

function observe({ scrollElement }: Virtualizer<HTMLElement, HTMLElement>, scale: ScrollScale, report: Report) {
  if (scrollElement === null) return undefined;
  let timer: number | undefined;
  const onRest = () => {
    setTop(scrollElement, scale.settle());
    report(scale.realTop, false);
  };
  const onScroll = () => {
    report(scale.follow(scrollElement.scrollTop), true);
    window.clearTimeout(timer);
    timer = window.setTimeout(onRest, REST_MS);
  };
  scrollElement.addEventListener("scroll", onScroll, { passive: true });
  report(scale.follow(scrollElement.scrollTop), false);
  return () => {
    scrollElement.removeEventListener("scroll", onScroll);
    window.clearTimeout(timer);
  };
}
