/**
 * The texts of the website and their translations. `bun scripts/texts.ts` prints what is wrong with
 * the catalogues; `--keys` and `--messages` print the texts and the sentences of the server as JSON; `--wrap FILES` puts texts into `t('…')`, and
 * doing it again changes nothing.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkCatalogue, readTexts, type Catalogue } from './texts/check.ts'
import { checkMessages, readMessages } from './texts/messages.ts'
import { findStrays } from './texts/strays.ts'
import { wrap } from './texts/wrap.ts'
import { lineAt, readSources, type Fault } from './tidy/source.ts'

const root = join(import.meta.dir, '..')
/** Files that are no pages: samples for developers, the browser's script. */
const NO_PAGES = /^web\/(?:gallery|client|jsx|locales|highlight)\b|^web\/(?:text|locale)\.ts$/
/** The plural forms of each language (CLDR). */
export const FORMS: Readonly<Record<string, readonly string[]>> = {
  ar: ['zero', 'one', 'two', 'few', 'many', 'other'],
  de: ['one', 'other'],
}

/** Whether people read the texts of a file on a page. */
export const isPage = (file: string): boolean => file.startsWith('web/') && !NO_PAGES.test(file)

const pages = () => readSources(root, ['web']).filter(({ file }) => isPage(file))

/** The browser's script has selectors and names of keys, so only its `t(…)` are read. */
const withTexts = () => [...pages(), ...readSources(root, ['web/client'])]

/** The sentences of the server that pages show, by key. */
const knownMessages = () => readMessages(readSources(root, ['src']))

const readCatalogue = (file: string): Catalogue =>
  JSON.parse(readFileSync(join(root, file), 'utf8')) as Catalogue

/** Texts of pages that are in no `t(…)`. */
export const strayTexts = (): Fault[] => pages().flatMap(findStrays)

/** All texts of pages and of their script by key. */
export const knownTexts = () => readTexts(withTexts())

/** What is wrong with the catalogues, and texts that are not in `t(…)`. */
export function checkTexts(): Fault[] {
  const sources = pages()
  const known = knownTexts()
  const unwrapped = sources
    .filter((source) => wrap(source).text !== source.text)
    .map(({ file }) => ({
      file,
      line: 1,
      message: 'a text is not in t(…): run bun scripts/texts.ts --wrap',
    }))
  const catalogues = Object.entries(FORMS).flatMap(([locale, forms]) => {
    const file = `web/locales/${locale}.json`
    const messages = `web/locales/messages.${locale}.json`
    return [
      ...checkCatalogue(file, readCatalogue(file), known, forms),
      ...checkMessages(messages, readCatalogue(messages)),
    ]
  })
  return [...unwrapped, ...strayTexts(), ...catalogues]
}

if (import.meta.main) {
  const [command, ...files] = process.argv.slice(2)
  if (command === '--messages') {
    process.stdout.write(`${JSON.stringify([...knownMessages().keys()])}\n`)
  } else if (command === '--keys') {
    const keys = [...knownTexts()].map(([key, { plural }]) => [key, plural])
    process.stdout.write(`${JSON.stringify(keys)}\n`)
  } else if (command === '--wrap') {
    const chosen = pages().filter(({ file }) => files.length === 0 || files.includes(file))
    for (const source of chosen) {
      const { text, left } = wrap(source)
      if (text !== source.text) writeFileSync(join(root, source.file), text)
      for (const { start, why } of left)
        process.stdout.write(`${source.file}:${lineAt(source.text, start)}: by hand: ${why}\n`)
    }
  } else {
    for (const { file, line, message } of checkTexts())
      process.stdout.write(`${file}:${line}: ${message}\n`)
  }
}
