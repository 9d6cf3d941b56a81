/** A page that is used with the keyboard alone. */
import { expect } from 'bun:test'
import type { Page } from 'playwright-core'

const MAX_STOPS = 200

/** What a person does with the keys of a page. At each stop of Tab something has the focus, and browsers show it. */
export class Keyboard {
  constructor(private readonly page: Page) {}

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key)
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text)
  }

  /** What has the focus: its element and its name. Throws when nothing has it, or it is not shown. */
  async focused(): Promise<string> {
    const stop = await this.page.evaluate(() => {
      const at = document.activeElement
      if (at === null || at === document.body) return null
      const field = at as HTMLInputElement
      const label = field.labels?.[0]?.textContent ?? ''
      const name = at.getAttribute('aria-label') ?? (label || (at.textContent ?? ''))
      return {
        words: `${at.tagName.toLowerCase()} ${name.trim().replace(/\s+/g, ' ')}`,
        isShown: at.matches(':focus-visible'),
      }
    })
    if (stop === null) throw new Error(`nothing has the focus on ${this.page.url()}`)
    expect([stop.words, stop.isShown]).toEqual([stop.words, true])
    return stop.words
  }

  /** Goes on by Tab until something fits. The way around the page passes the browser's own stops once. */
  async tabTo(words: RegExp): Promise<void> {
    let timesAround = 0
    for (let step = 0; step < MAX_STOPS; step++) {
      await this.press('Tab')
      const isOutside = await this.page.evaluate(
        () => document.activeElement === null || document.activeElement === document.body,
      )
      if (isOutside) {
        if (++timesAround > 1) break
      } else if (words.test(await this.focused())) return
    }
    throw new Error(`Tab does not lead to ${words} on ${this.page.url()}`)
  }

  /**
   * Presses keys that lead to another page, and waits for it. `url` must not fit the page before, or
   * the next keys go there. A browser gives the focus to an `autofocus` field when it first draws the
   * page, which can be after the load event.
   */
  async goBy(url: RegExp, ...keys: string[]): Promise<void> {
    if (url.test(this.page.url())) throw new Error(`${url} fits ${this.page.url()} already`)
    await Promise.all([this.page.waitForURL(url), this.press(...keys)])
    await this.page.waitForLoadState('load')
    await this.page.waitForFunction(
      () =>
        document.querySelector('[autofocus]') === null || document.activeElement !== document.body,
    )
  }

  /** Presses what leads to another page. */
  async follow(name: RegExp, url: RegExp): Promise<void> {
    await this.tabTo(name)
    await this.goBy(url, 'Enter')
  }

  /**
   * Presses a button whose page then shows something, or no longer does. A new page can do so before its
   * script runs, which answers to the next keys.
   */
  async pressFor(name: RegExp, shown: string, options: { gone?: boolean } = {}): Promise<void> {
    await this.tabTo(name)
    const state = options.gone ? 'detached' : 'visible'
    await Promise.all([this.page.waitForSelector(shown, { state }), this.press('Enter')])
    await this.page.waitForLoadState('load')
  }

  /** Goes from the field of the path into the code editor, which takes a textarea's place once it is loaded. */
  async enterEditor(): Promise<void> {
    await this.page.waitForSelector('.code-editor')
    await this.press('Tab')
  }

  /** Fills a field that Tab leads to. */
  async fill(words: RegExp, text: string): Promise<void> {
    await this.tabTo(words)
    await this.press('Control+a')
    await this.type(text)
  }

  /** Goes somewhere by the quick switcher. */
  async jumpTo(words: string, option: string, url: RegExp): Promise<void> {
    await this.press('Control+k')
    await this.page.waitForSelector('dialog.jump[open]')
    await this.type(words)
    await this.page.waitForSelector(
      `dialog.jump [role=option][aria-selected=true]:has-text("${option}")`,
    )
    await this.goBy(url, 'Enter')
  }
}

/** The message at the top of a page about what was just done. */
export const messageOf = (words: string): string => `main > [role=status]:has-text("${words}")`

/** Reads again until something is there that a job makes. */
export async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 60_000; Date.now() < end; await Bun.sleep(50)) {
    const found = await read()
    if (found !== undefined) return found
  }
  throw new Error('what a job makes is not there after a minute')
}
