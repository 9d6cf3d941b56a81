/**
 * Pictures of pages that are kept in `test/snapshots/pages` and compared: a small one of each page,
 * as on a desk in light and as on a phone in dark, beside each other. `UPDATE=1` keeps them anew;
 * look at what changed before it is committed.
 */
import { afterAll } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CDPSession, Page } from 'playwright-core'
import { beside, decode, differences, encode, halve, type Picture, type Region } from './picture.ts'
import { rulerFont } from './ruler.ts'

export const KEPT = join(import.meta.dir, '..', 'snapshots', 'pages')
/** Pixels of a page in one cell of its picture, in both directions. */
const CELL = 8
/** What lies further down is more of the same. */
const LOWEST = 1800
const UPDATE = process.env.UPDATE === '1'

const font = Buffer.from(rulerFont()).toString('base64')
const sessions = new WeakMap<Page, Promise<CDPSession>>()

/**
 * Sets a page in the ruler, and puts the same in place of what no two runs have alike: times, what
 * is drawn from today's date, and the path of the forge's `directory`.
 */
export const steady = (page: Page, directory: string): Promise<void> =>
  page.evaluate(
    async ({ file, directory }) => {
      const ruler = new FontFace(
        'ruler',
        Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0)).buffer,
      )
      document.fonts.add(await ruler.load())
      for (const name of ['--sans', '--mono'])
        document.documentElement.style.setProperty(name, 'ruler')
      // What the browser puts off until it is in sight is drawn at once. Letters lie where their
      // widths put them, as without windows; the whole browser else moves them to whole pixels.
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(
        '* { content-visibility: visible !important; text-rendering: geometricPrecision !important }',
      )
      document.adoptedStyleSheets.push(sheet)
      for (const time of document.querySelectorAll('time')) time.textContent = 'at a time'
      for (const part of document.querySelectorAll<HTMLElement>('[data-dated]'))
        part.style.visibility = 'hidden'
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) {
        const text = texts.currentNode
        const words = text.nodeValue ?? ''
        if (words.includes(directory))
          text.nodeValue = words.replaceAll(directory, '/var/lib/hearth')
      }
    },
    { file: font, directory },
  )

/**
 * A picture of the page as it is now, a cell for each eight pixels. Scaled by the browser to the
 * half of that and then by us, so that edges are smooth. The window becomes as high as the picture:
 * a picture of more than the window takes the browser three times as long.
 */
export async function takePicture(page: Page): Promise<Picture> {
  const session = sessions.get(page) ?? page.context().newCDPSession(page)
  sessions.set(page, session)
  const { width, height } = await page.evaluate(
    (lowest) => ({
      width: innerWidth,
      height: Math.min(lowest, document.documentElement.scrollHeight),
    }),
    LOWEST,
  )
  await page.setViewportSize({ width, height })
  const { data } = await (await session).send('Page.captureScreenshot', {
    format: 'png',
    optimizeForSpeed: true,
    captureBeyondViewport: false,
    clip: { x: 0, y: 0, width, height, scale: 2 / CELL },
  })
  return halve(decode(Buffer.from(data, 'base64')))
}

let shown: string | null = null

/** Where a region is on the page that is open, as a selector. */
const placeOf = (page: Page, { left, top, right, bottom }: Region): Promise<string> =>
  page.evaluate(
    ({ x, y }) => {
      scrollTo(0, Math.max(0, y - innerHeight / 2))
      const names: string[] = []
      for (
        let part = document.elementFromPoint(x, y - scrollY);
        part && part !== document.body;
        part = part.parentElement
      ) {
        names.unshift(
          part.tagName.toLowerCase() +
            (part.id ? `#${part.id}` : '') +
            [...part.classList].map((name) => `.${name}`).join(''),
        )
      }
      return names.slice(-4).join(' > ')
    },
    { x: ((left + right) / 2) * CELL, y: ((top + bottom) / 2) * CELL },
  )

/** The upper left part of a region in letters, a line for each row: the darker a cell, the fuller. */
function inLetters(picture: Picture, { left, top, right, bottom }: Region): string {
  const rows: string[] = []
  for (let y = top; y < Math.min(bottom, top + 12); y++) {
    let row = ''
    for (let x = left; x < Math.min(right, left + 80); x++) {
      const [red = 255, green = 255, blue = 255] = picture.pixels.subarray(
        (y * picture.width + x) * 3,
      )
      row += '#+-. '[Math.min(4, Math.floor((red + green + blue) / 154))]
    }
    rows.push(row)
  }
  return rows.join('\n')
}

/**
 * Holds a page against its kept picture. Gives what changed, in words that name the page, the place
 * and where to look; nothing when all is as it was.
 */
export async function changesSince(
  page: Page,
  name: string,
  desk: Picture,
  phone: Picture,
): Promise<string[]> {
  const path = join(KEPT, `${name}.png`)
  const now = encode(beside(desk, phone))
  if (UPDATE) {
    // What looks the same stays the same file.
    if (existsSync(path) && differences(decode(readFileSync(path)), decode(now)).length === 0)
      return []
    mkdirSync(KEPT, { recursive: true })
    writeFileSync(path, now)
    return []
  }
  if (!existsSync(path))
    return [
      `there is no picture of ${name} yet: look at the page, then run UPDATE=1 bun test test/journeys/pages.test.ts test/journeys/below-repositories.test.ts`,
    ]
  const [was, is] = [decode(readFileSync(path)), decode(now)]
  const regions = differences(was, is)
  const [largest] = regions
  if (!largest) return []
  shown ??= mkdtempSync(join(tmpdir(), 'hearth-pictures-'))
  writeFileSync(join(shown, `${name}.is.png`), now)
  writeFileSync(join(shown, `${name}.was.png`), readFileSync(path))
  const words: string[] = []
  for (const region of regions.slice(0, 3)) {
    const onPhone = region.left > desk.width
    const from = onPhone ? desk.width + 4 : 0
    // The page is open as on a desk.
    const place = onPhone ? '' : ` (${await placeOf(page, region)})`
    words.push(
      `${name} looks different ${onPhone ? 'on a phone' : 'on a desk'} at ${(region.left - from) * CELL}–${(region.right - from) * CELL} × ${region.top * CELL}–${region.bottom * CELL} px${place}, ${region.cells} cells`,
    )
  }
  return [
    ...words,
    // Whoever reads a report of a machine that is far away has no file to open.
    `the first was\n${inLetters(was, largest)}\nand is\n${inLetters(is, largest)}`,
    `compare ${join(shown, name)}.is.png with .was.png; if it is meant: UPDATE=1 bun test test/journeys/pages.test.ts test/journeys/below-repositories.test.ts`,
  ]
}

/** Pictures of none of the pages `known`. With `UPDATE=1` they are removed. */
export function leftover(known: ReadonlySet<string>): string[] {
  const names = existsSync(KEPT)
    ? readdirSync(KEPT)
        .map((file) => file.replace(/\.png$/, ''))
        .filter((name) => !known.has(name))
    : []
  if (!UPDATE) return names
  for (const name of names) rmSync(join(KEPT, `${name}.png`))
  return []
}

afterAll(() => {
  if (shown) process.stderr.write(`pictures of what changed are in ${shown}\n`)
})
