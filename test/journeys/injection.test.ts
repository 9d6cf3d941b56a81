/**
 * Hundreds of attempts to run script through what strangers may write, on every page that shows
 * them, in a browser that the site's own policy does not help: nothing runs, nothing is asked of
 * another server, nothing that could run is in the page.
 */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { claim } from '../../scripts/support/forge.ts'
import { openContext } from './browser.ts'
import { startForge, type Forge } from './forge.ts'
import { seed, type Seeded } from './injection/seed.ts'

let forge: Forge
let seeded: Seeded
let page: Page
const heard: string[] = []

beforeAll(async () => {
  forge = await startForge()
  const { token, cookie } = await claim({ url: forge.url, setup: async () => forge.setup ?? '' })
  seeded = await seed(forge.url, token)
  // Without the policy, so that what is found to be dead is dead by itself.
  const context = await openContext({ bypassCSP: true })
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: forge.url }])
  page = await context.newPage()
  page.on('dialog', (dialog) => {
    heard.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', (popup) => heard.push(`popup: ${popup.url()}`))
  page.on('download', (download) => void download.cancel())
  await page.route('**', (route) => {
    const request = route.request()
    const { origin, protocol } = new URL(request.url())
    if (origin === forge.url || protocol === 'data:') return route.continue()
    // A document may show a picture from elsewhere; nothing else comes from there.
    if (request.resourceType() !== 'image')
      heard.push(`${request.resourceType()} from ${request.url().slice(0, 80)} on ${page.url()}`)
    return route.abort()
  })
}, 120_000)

/**
 * What could run or lead astray in the page as the browser has it, and what has run. Every element
 * is pointed at and focused on the way.
 */
const alive = (of: Page): Promise<string[]> =>
  of.evaluate(() => {
    const found: string[] = []
    const own = new URL(location.href).origin
    for (const element of document.querySelectorAll('*')) {
      const tag = element.tagName.toLowerCase()
      const what = element.outerHTML.slice(0, 120)
      if (
        /^(?:iframe|frame|object|embed|applet|base|style|template|portal|math|foreignobject|animate|set)$/.test(
          tag,
        )
      )
        found.push(`<${tag}>: ${what}`)
      if (
        tag === 'script' &&
        !/^\/-\/[\w.-]+\.js$|^\/assets\//.test(element.getAttribute('src') ?? '')
      )
        found.push(`script: ${what}`)
      if (tag === 'meta' && element.hasAttribute('http-equiv')) found.push(`meta: ${what}`)
      if (
        tag === 'form' &&
        new URL(element.getAttribute('action') ?? '', location.href).origin !== own
      )
        found.push(`form: ${what}`)
      for (const { name, value } of element.attributes) {
        if (name.startsWith('on') || name === 'style' || name === 'srcdoc' || name === 'ping')
          found.push(`${name}: ${what}`)
        if (!/^(?:href|src|action|formaction|xlink:href|poster|data|background|srcset)$/.test(name))
          continue
        // As the browser reads it: without the blanks and control characters that it drops.
        const scheme = /^([a-z][a-z0-9+.-]*):/i
          .exec([...value].filter((letter) => letter > ' ').join(''))?.[1]
          ?.toLowerCase()
        if (
          scheme !== undefined &&
          !['http', 'https', 'mailto'].includes(scheme) &&
          !(tag === 'img' && /^data:image\/(?:png|jpeg|gif|webp);/.test(value))
        )
          found.push(`${name}=${value.slice(0, 60)}`)
      }
      // A document's own names cannot stand for parts of the page.
      if (
        element.closest('.md') &&
        ((element.id !== '' && !element.id.startsWith('user-content-')) ||
          element.hasAttribute('name'))
      )
        found.push(`named: ${what}`)
    }
    if (
      document.querySelectorAll('#content').length !== 1 ||
      document.getElementById('content')?.tagName !== 'MAIN'
    )
      found.push('the content is not what it was')
    for (const element of document.querySelectorAll<HTMLElement>('main *')) {
      element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
      element.dispatchEvent(new Event('focus'))
    }
    if ((window as unknown as { hit?: number }).hit !== undefined) found.push('it ran')
    return found
  })

test('the check sees what it must', async () => {
  await page.goto(`${forge.url}/explore`)
  expect(await alive(page)).toEqual([])
  await page.evaluate(() =>
    document
      .querySelector('main')
      ?.insertAdjacentHTML(
        'beforeend',
        '<div class="md"><p id=x onmouseover="window.hit=1">x</p><a href="java\tscript:1">x</a><svg><animate/></svg><form action="//evil.test"></form><p id=content></div>',
      ),
  )
  const found = (await alive(page)).map((one) => one.split(/[:=]/)[0]).sort()
  expect(found).toEqual(
    [
      'named',
      'named',
      'onmouseover',
      'href',
      '<animate>',
      'form',
      'the content is not what it was',
      'it ran',
    ].sort(),
  )
})

test('there is much to look at, and most of it was taken in', () => {
  expect(seeded.taken).toBeGreaterThan(400)
  expect(seeded.pages.length).toBeGreaterThan(100)
})

test('no attempt is alive on any page', async () => {
  const live: string[] = []
  let shown = 0
  for (const path of seeded.pages) {
    const response = await page.goto(forge.url + path, { waitUntil: 'load' })
    if (response?.status() === 200) shown++
    if ((response?.status() ?? 500) >= 500) live.push(`${path} answered ${response?.status()}`)
    if (new URL(page.url()).origin !== forge.url) live.push(`${path} led to ${page.url()}`)
    for (const found of await alive(page)) live.push(`${path}: ${found}`)
  }
  expect(live).toEqual([])
  // Some addresses are attempts themselves and lead to nothing.
  expect(shown).toBeGreaterThan(seeded.pages.length - 20)
  expect(heard).toEqual([])
}, 180_000)

test('a file or feed that is opened by itself does not run either', async () => {
  for (const path of seeded.resources) {
    // In the browser with the site's policy: a raw file is guarded by its headers alone.
    const context = await openContext()
    await context.addCookies(await page.context().cookies())
    const alone = await context.newPage()
    alone.on('dialog', (dialog) => {
      heard.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    const response = await alone.goto(forge.url + path).catch(() => null)
    expect([path, (response?.status() ?? 200) < 500]).toEqual([path, true])
    if (response)
      expect([path, response.headers()['x-content-type-options']]).toEqual([path, 'nosniff'])
    expect([path, await alone.evaluate(() => (window as unknown as { hit?: number }).hit)]).toEqual(
      [path, undefined],
    )
    await context.close()
  }
  expect(heard).toEqual([])
}, 120_000)

test('what was attempted is there to be read', async () => {
  const texts = [
    ['/wild/west/issues', '<script>window.hit=1</script>'],
    ['/wild/west/labels', '<img src=x onerror=window.hit=1>'],
    ['/wild/west/blob/main/live.html', '<svg onload="top.hit=1">'],
    [seeded.checks, '<img src=x onerror="top.hit=1">'],
  ] as const
  for (const [path, text] of texts) {
    await page.goto(forge.url + path)
    expect([path, (await page.textContent('main'))?.includes(text)]).toEqual([path, true])
  }
})

test('signs that turn the direction of text are shown, not obeyed', async () => {
  await page.goto(`${forge.url}/wild/west/blob/main/bidi.ts`)
  expect(await page.locator('.lines .bidi').count()).toBeGreaterThan(2)
  await page.goto(`${forge.url}/wild/west/tree/main/names`)
  expect(await page.locator('#tree .bidi').count()).toBeGreaterThan(0)
})
