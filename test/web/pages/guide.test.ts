import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SETTINGS } from '#src/config.ts'
import { GuidePage, sectionsOf } from '#web/pages/guide.tsx'
import type { Visit } from '#web/site.ts'

const visit = { viewer: null, csrf: 'x', flash: null } as unknown as Visit

test('the guide shows the sections of the README that tell how to run one, with every setting, and nothing else of it', () => {
  const html = String(GuidePage({ visit }))
  const readme = readFileSync(join(import.meta.dir, '../../../README.md'), 'utf8')
  const titles = [...readme.matchAll(/^## (.+)$/gm)].map((match) => match[1] ?? '')
  const shown = [...html.matchAll(/<h2>([^<]+)<\/h2>/g)].map((match) => match[1] ?? '')
  expect(shown).toEqual(
    titles.slice(titles.indexOf('Installing'), titles.indexOf('How fast git is here')),
  )
  for (const name of ['backups.to', 'tls.certificate', ...Object.keys(SETTINGS)])
    expect(html).toContain(`<code>${name}</code>`)
  for (const title of shown)
    expect(html).toContain(`href="#${title.toLowerCase().replaceAll(' ', '-')}"`)
  // What leads to files of the source would lead nowhere here.
  expect(html).not.toMatch(/href="(?!https?:|#|\/)/)
  expect(html).not.toContain('written by scripts')
})

test('a README without the headings is a fault that shows at once', () => {
  expect(() => sectionsOf('# x\n\n## Installing\n', '## Installing', '## After')).toThrow(
    '## After',
  )
  expect(() => sectionsOf('# x\n\n## After\n', '## Installing', '## After')).toThrow(
    '## Installing',
  )
  expect(
    sectionsOf(
      '\n## A b\nSee [the unit](assets/x) and [git](https://git-scm.com).\n## C\n\n## Z\n',
      '## A b',
      '## Z',
    ),
  ).toEqual([
    { id: 'a-b', title: 'A b', text: 'See the unit and [git](https://git-scm.com).\n' },
    { id: 'c', title: 'C', text: '' },
  ])
})
