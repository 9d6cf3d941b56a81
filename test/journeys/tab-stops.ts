/** What the key Tab reaches on a page, and whether one sees where it is. */
import type { Page } from 'playwright-core'

type Stops = { stops: Element[] }

/** Everything that can be pressed or filled in, as indexes; the page keeps the elements. */
const listStops = (page: Page): Promise<number[]> =>
  page.evaluate(() => {
    const all = [
      ...document.querySelectorAll<HTMLElement>(
        'a[href], button, input:not([type=hidden]), select, textarea, summary',
      ),
    ]
    Object.assign(globalThis, { stops: all })
    return all.flatMap((element, index) => {
      // A line's number is a link for those who point; the key `l` goes to a line. Of radio
      // buttons one has the stop, arrows the others.
      const left =
        element.tabIndex < 0 ||
        element.matches(':disabled') ||
        (element instanceof HTMLInputElement && element.type === 'radio' && !element.checked)
      return !left && element.checkVisibility({ visibilityProperty: true }) ? [index] : []
    })
  })

const focusedStop = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement
    if (at === null || at === document.body) return null
    // What one types in has a frame of its own that changes.
    const { outlineStyle, outlineWidth, boxShadow, opacity } = getComputedStyle(at)
    return {
      index: (globalThis as unknown as Stops).stops.indexOf(at),
      words: at.outerHTML.slice(0, 120),
      seen:
        opacity !== '0' &&
        ((outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none'),
    }
  })

/** Goes once around the open page by Tab: the stops that one does not see, and those not reached. */
export async function tabAround(page: Page): Promise<{ unseen: string[]; missed: string[] }> {
  const wanted = await listStops(page)
  const reached = new Set<number>()
  const unseen: string[] = []
  for (let step = 0; step < wanted.length + 30; step++) {
    await page.keyboard.press('Tab')
    const stop = await focusedStop(page)
    if (stop === null || (reached.has(stop.index) && stop.index === wanted[0])) break
    if (!stop.seen) unseen.push(stop.words)
    reached.add(stop.index)
  }
  const missed = await page.evaluate(
    (indexes) =>
      indexes.map(
        (index) => (globalThis as unknown as Stops).stops[index]?.outerHTML.slice(0, 120) ?? '',
      ),
    wanted.filter((index) => !reached.has(index)),
  )
  return { unseen, missed }
}
