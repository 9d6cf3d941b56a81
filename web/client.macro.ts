// Macros of Bun (https://bun.com/docs/bundler/macros). They run when the code is bundled, so that
// the executable contains the finished files and no build step is needed.
import { readFileSync } from 'node:fs'

const here = (name: string): string => new URL(name, import.meta.url).pathname

/** Bundles a script and its imports into one file for browsers. */
export const browserScript = (name: string): string => {
  const built = Bun.spawnSync([
    process.execPath,
    'build',
    here(name),
    '--minify',
    '--target=browser',
    '--format=iife',
  ])
  if (built.exitCode !== 0) throw new Error(`could not build ${name}: ${built.stderr.toString()}`)
  return built.stdout.toString()
}

/**
 * The style sheet without comments and indentation. Bun's minifier would rewrite `light-dark()`, so
 * it is not used.
 */
export const styleSheet = (name: string): string =>
  readFileSync(here(name), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')

/** The text of a file. */
export const textFile = (name: string): string => readFileSync(here(name), 'utf8')
