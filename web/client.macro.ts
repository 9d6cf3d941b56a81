// Macros of Bun (https://bun.com/docs/bundler/macros). They run when the code is bundled, so that
// the executable contains the finished files and no build step is needed.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packText } from '#lib/packed-text.ts'

const here = (name: string): string => new URL(name, import.meta.url).pathname

/** A file for browsers: what unpacks to it, and a digest of its content for its address. */
export type PackedFile = { readonly packed: string; readonly digest: string }

const digestOf = (content: string | Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(content).digest('hex').slice(0, 12)

const packFile = (text: string): PackedFile => ({ packed: packText(text), digest: digestOf(text) })

/** Bundles a script and its imports into one file for browsers. */
export const browserScript = (name: string): PackedFile => {
  const built = Bun.spawnSync([
    process.execPath,
    'build',
    here(name),
    '--minify',
    '--target=browser',
    '--format=iife',
  ])
  if (built.exitCode !== 0) throw new Error(`could not build ${name}: ${built.stderr.toString()}`)
  return packFile(built.stdout.toString())
}

/**
 * Bundles a script that loads parts of itself when they are needed. Returns the files by name; names
 * contain a digest of the content. Empty where the packages that it is made of are not installed.
 */
export const splitScript = (name: string): Record<string, PackedFile> => {
  if (!existsSync(here('../node_modules/@codemirror/view'))) return {}
  const folder = mkdtempSync(join(tmpdir(), 'hearth-script-'))
  try {
    const built = Bun.spawnSync([
      process.execPath,
      'build',
      here(name),
      '--minify',
      '--target=browser',
      '--format=esm',
      '--splitting',
      '--entry-naming=[name]-[hash].[ext]',
      '--chunk-naming=part-[hash].[ext]',
      `--outdir=${folder}`,
    ])
    if (built.exitCode !== 0) throw new Error(`could not build ${name}: ${built.stderr.toString()}`)
    return Object.fromEntries(
      readdirSync(folder).map((file) => [file, packFile(readFileSync(join(folder, file), 'utf8'))]),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The texts of the browser script: the first argument of each `t(…)`. */
const scriptTexts = (): string[] =>
  [...new Bun.Glob('client/**/*.ts').scanSync(here('.'))].flatMap((file) =>
    [...readFileSync(here(file), 'utf8').matchAll(/\bt\('((?:[^'\\]|\\.)+)'/g)].map(
      ([, text = '']) => text.replaceAll("\\'", "'"),
    ),
  )

/** A script with the translations of the browser script's texts. */
export const scriptTranslations = (locale: string): PackedFile => {
  const catalogue =
    locale === 'en-XA'
      ? null
      : (JSON.parse(readFileSync(here(`./locales/${locale}.json`), 'utf8')) as Record<
          string,
          unknown
        >)
  const found = [...new Set(scriptTexts())]
    .sort()
    .map((text) => [text, catalogue ? catalogue[text] : `⟦${text}⟧`])
  return packFile(`globalThis.hearthTexts=${JSON.stringify(Object.fromEntries(found))}`)
}

/**
 * The style sheet without comments and indentation. Bun's minifier would rewrite `light-dark()`, so
 * it is not used.
 */
export const styleSheet = (name: string): PackedFile =>
  packFile(
    readFileSync(here(name), 'utf8')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('\n'),
  )

/** The text of a file. */
export const textFile = (name: string): PackedFile => packFile(readFileSync(here(name), 'utf8'))

/** A digest of a file of a package, for its address. */
export const packageDigest = (name: string): string =>
  digestOf(readFileSync(here(`../node_modules/${name}`)))
