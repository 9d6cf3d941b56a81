// Small helpers of the browser script.

/** Whether keys that are pressed there belong to a text. */
export const isEditable = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:input|textarea|select)$/i.test(target.tagName))

/** The texts that are written in a form. */
export const writtenIn = (form: HTMLFormElement): string =>
  [...form.querySelectorAll('textarea')].map(({ value }) => value).join('\0')

/** The nearest element around the target of an event that matches a selector. */
export const closestTo = <E extends HTMLElement>(event: Event, selector: string): E | null =>
  event.target instanceof Element ? event.target.closest<E>(selector) : null

/** A click that is meant for the page, not for a new tab or a download. */
export const isPlainClick = (event: MouseEvent): boolean =>
  event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey

export const createElement = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string>,
): HTMLElementTagNameMap[K] => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  return element
}

/** Fetches and parses a page. Null when the server is not reached or refuses. */
export async function fetchPage(
  address: string | URL,
  options?: RequestInit,
): Promise<Document | null> {
  const response = await fetch(address, options).catch(() => null)
  return response?.ok ? new DOMParser().parseFromString(await response.text(), 'text/html') : null
}

/** Fetches JSON. Null when the request is aborted, fails or is refused. */
export const fetchJson = <T>(address: string, signal: AbortSignal): Promise<T | null> =>
  fetch(address, { signal })
    .then((response) => (response.ok ? response.json() : null))
    .catch(() => null)
