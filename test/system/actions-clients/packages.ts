/** The packages of npm that stand for stock actions, and the program that calls them. */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const PACKAGES = [
  '@actions/artifact@6.2.1',
  '@actions/cache@6.3.0',
  '@actions/core@3.0.1',
  '@actions/github@9.1.1',
  '@actions/tool-cache@4.0.0',
]
const PROGRAM = join(import.meta.dir, 'act.mjs')

/** Installs them unless they are there. Returns the folder. */
export async function installPackages(given: string): Promise<string> {
  const folder = resolve(given)
  mkdirSync(folder, { recursive: true })
  copyFileSync(PROGRAM, join(folder, 'act.mjs'))
  if (existsSync(join(folder, 'node_modules/@actions/tool-cache'))) return folder
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const child = Bun.spawn(['npm', 'install', '--no-audit', '--no-fund', ...PACKAGES], {
    cwd: folder,
    stdout: 'ignore',
    stderr: 'inherit',
  })
  if ((await child.exited) !== 0) throw new Error('the packages could not be installed')
  return folder
}
