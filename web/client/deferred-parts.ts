// Parts that take the server long to compute are fetched after the page and put in their place.
import { fetchPage } from './dom.ts'
import { markRange } from './line-ranges.ts'
import { refreshParts } from './refresh.ts'

const loadDeferred = async (part: HTMLElement): Promise<void> => {
  const fresh = (await fetchPage(part.dataset.later ?? ''))?.getElementById(part.id)
  if (!fresh || fresh.dataset.later !== undefined) return
  const focused = part.contains(document.activeElement)
    ? document.activeElement?.getAttribute('href')
    : null
  part.replaceWith(fresh)
  if (focused)
    fresh
      .querySelector<HTMLElement>(`a[href="${CSS.escape(focused)}"]`)
      ?.focus({ preventScroll: true })
  refreshParts()
  markRange({ scroll: false })
}

for (const part of document.querySelectorAll<HTMLElement>('[data-later]')) void loadDeferred(part)
