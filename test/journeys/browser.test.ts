import { expect, test } from 'bun:test'
import { openContext } from './browser.ts'

test.skipIf(process.env.HEARTH_TEST_FONTS !== undefined)(
  'the browser of the tests sees nothing of the machine’s fonts, locale and time zone',
  async () => {
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
    // Six signs of 0.54 em.
    expect(widths).toEqual(families.map(() => 324))
    expect(
      await page.evaluate(() => [
        navigator.language,
        Intl.DateTimeFormat().resolvedOptions().timeZone,
        devicePixelRatio,
      ]),
    ).toEqual(['en-GB', 'UTC', 1])
    await context.close()
  },
)
