/**
 * The texts of the website and their translations.
 * `bun scripts/texts.ts --wrap FILES` puts texts into `t('…')`; doing it again changes nothing.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lineAt, readSources } from './tidy/source.ts'
import { wrap } from './texts/wrap.ts'

const root = join(import.meta.dir, '..')
/** Files whose texts nobody translates: samples for developers, the browser's script. */
const NO_PAGES = /^web\/(?:gallery|client|jsx|locales|highlight)\b|^web\/(?:text|locale)\.ts$/

if (import.meta.main) {
  const [command, ...files] = process.argv.slice(2)
  if (command !== '--wrap') throw new Error('usage: bun scripts/texts.ts --wrap FILES')
  const sources = readSources(root, ['web']).filter(
    ({ file }) => !NO_PAGES.test(file) && (files.length === 0 || files.includes(file)),
  )
  for (const source of sources) {
    const { text, left } = wrap(source)
    if (text !== source.text) writeFileSync(join(root, source.file), text)
    for (const { start, why } of left)
      process.stdout.write(`${source.file}:${lineAt(source.text, start)}: by hand: ${why}\n`)
  }
}
