/** What a custom property's colour is right now: a canvas knows neither `var()` nor `light-dark()`. */
export function resolveColor(element: HTMLElement, property: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${property})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
