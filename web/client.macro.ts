// Runs while the code is being read (Bun macros: https://bun.com/docs/bundler/macros), so that the
// executable carries the finished files and no build step is needed in between.
import { readFileSync } from 'node:fs'

const here = (name: string): string => new URL(name, import.meta.url).pathname

/** A script of ours and what it imports, as one file for browsers. */
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
 * The style sheet without its comments and indentation. Bun's own shortening would rewrite
 * `light-dark()`, so it is not used.
 */
export const styleSheet = (name: string): string =>
  readFileSync(here(name), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')

/** A file as it is. */
export const textFile = (name: string): string => readFileSync(here(name), 'utf8')
