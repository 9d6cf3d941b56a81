import { expect, test } from 'bun:test'
import { openContext } from './browser.ts'

test('the browser of the tests sees nothing of the machine’s fonts, locale and time zone', async () => {
  const context = await openContext()
  const page = await context.newPage()
  const families = ['system-ui', 'sans-serif', 'serif', 'monospace', 'DejaVu Sans', 'Arial']
  await page.setContent(
    families
      .map((family) => `<p><span style="font: 100px '${family}', ${family}">mmiiWW</span></p>`)
      .join(''),
  )
  const widths = await page.$$eval('span', (spans) =>
    spans.map((span) => Math.round(span.getBoundingClientRect().width)),
  )
  expect(new Set(widths).size).toBe(1)
  expect(
    await page.evaluate(() => [
      navigator.language,
      Intl.DateTimeFormat().resolvedOptions().timeZone,
      devicePixelRatio,
    ]),
  ).toEqual(['en-GB', 'UTC', 1])
  await context.close()
})
