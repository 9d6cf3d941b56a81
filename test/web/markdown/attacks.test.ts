import { describe, expect, test } from 'bun:test'
import { renderMarkdown } from '#web/markdown.ts'
import { openContext } from '../../journeys/browser.ts'
import { attacks } from './attacks.ts'

const options = {
  link: { siteUrl: 'https://hearth.test', repo: 'acme/oven' },
  base: { repo: 'acme/oven', ref: 'main', dir: '' },
}

const elements = new Set(
  (
    'a abbr b blockquote br cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p path picture ' +
    'pre q rp rt ruby s samp small source span strong sub summary sup svg table tbody td tfoot th thead tr tt u ul var wbr'
  ).split(' '),
)
const attributes = new Set(
  (
    'alt aria-hidden aria-label checked class colspan d dir disabled height href id lang loading media open referrerpolicy rel reversed role rowspan ' +
    'scope src srcset start tabindex title type value viewbox width'
  ).split(' '),
)
const ownClasses =
  /^(?:anchor|icon|alert|alert-title|alert-(?:note|tip|important|warning|caution)|ref-(?:mention|issue|commit)|table-wrap|task-list-item|to-(?:left|right|center)|language-[\w-]+|[ksnftacheb])$/

/** Everything in the output that is not on the lists; empty is what we want. */
const strangers = (html: string): string[] => {
  const found: string[] = []
  new HTMLRewriter()
    .on('*', {
      element(element) {
        if (!elements.has(element.tagName)) found.push(`<${element.tagName}>`)
        for (const [name, value] of element.attributes) {
          if (!attributes.has(name)) found.push(`${element.tagName}[${name}]`)
          if (
            /^(?:href|src|srcset)$/.test(name) &&
            !/^(?:https?:\/\/|mailto:|#|\/|[^:]*$)/.test(value)
          )
            found.push(`${name}=${value}`)
          if (name === 'class')
            for (const one of value.split(' ')) if (!ownClasses.test(one)) found.push(`.${one}`)
          if (name === 'id' && !value.startsWith('user-content-')) found.push(`#${value}`)
        }
      },
    })
    .transform(html)
  return found
}

test('there are enough attempts, no two alike', () => {
  expect(new Set(attacks).size).toBe(attacks.length)
  expect(attacks.length).toBeGreaterThanOrEqual(80)
})

test('the check sees what it must', () => {
  expect(
    strangers('<img onerror=x src=javascript:1><script>1</script><p id=content class=notice>'),
  ).toEqual(['img[onerror]', 'src=javascript:1', '<script>', '#content', '.notice'])
})

describe('nothing but known elements, attributes and addresses comes out', () => {
  for (const attack of attacks) {
    test(JSON.stringify(attack).slice(0, 90), () => {
      for (const text of [
        attack,
        `text ${attack} text`,
        `> ${attack.replaceAll('\n', '\n> ')}`,
        `- ${attack}`,
      ]) {
        expect(strangers(renderMarkdown(text, options))).toEqual([])
        expect(strangers(renderMarkdown(text, { breaks: true }))).toEqual([])
      }
    })
  }
})

describe('in a browser', () => {
  test('no attempt runs, with no policy to help', async () => {
    const page = await (await openContext()).newPage()
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    const body = `<!doctype html><title>x</title><main id="content">${attacks.map((attack) => `<section>${renderMarkdown(attack, options)}</section>`).join('\n')}</main>`
    // Nothing may be asked of the network; what fails to load is what most attempts wait for.
    await page.route('**', (route) =>
      route.request().url() === 'https://hearth.test/'
        ? route.fulfill({ contentType: 'text/html; charset=utf-8', body })
        : route.abort(),
    )
    await page.goto('https://hearth.test/')
    // Every attempt stays in its own section: none closes what is around it.
    expect(await page.locator('main > section').count()).toBe(attacks.length)
    expect(await page.locator('body > *').count()).toBe(1)
    await page.evaluate(() => {
      for (const element of document.querySelectorAll<HTMLElement>('main *')) {
        element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
        element.dispatchEvent(new Event('focus'))
        if (
          element instanceof HTMLAnchorElement &&
          !/^(?:https?|mailto):$/.test(element.protocol) &&
          element.href !== ''
        )
          throw new Error(element.href)
      }
    })
    expect(await page.evaluate(() => (window as unknown as { hit?: number }).hit)).toBeUndefined()
    expect(dialogs).toEqual([])
    await page.close()
  }, 120_000)
})

describe('hostile sizes come back in good time and in good order', () => {
  const shapes: Record<string, string> = {
    quotes: '>'.repeat(50_000),
    lists: '- '.repeat(20_000),
    brackets: '['.repeat(50_000),
    links: '[a](b'.repeat(20_000),
    emphasis: '*a _b '.repeat(20_000),
    tags: '<b>'.repeat(20_000),
    divs: '<div>\n\n'.repeat(5_000),
    ticks: '`a``'.repeat(15_000),
    mentions: '@a'.repeat(30_000),
    slashes: 'a/'.repeat(30_000),
    hex: 'a1'.repeat(30_000),
    entities: '&#x'.repeat(20_000),
    comments: '<!--'.repeat(15_000),
    table: `${'|a'.repeat(5_000)}\n${'|-'.repeat(5_000)}\n`,
  }
  for (const [name, text] of Object.entries(shapes)) {
    test(name, () => {
      const html = renderMarkdown(text, options)
      expect(html.length).toBeLessThan(10_000_000)
      expect(strangers(html)).toEqual([])
    })
  }
})
