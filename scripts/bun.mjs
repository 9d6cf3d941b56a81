// Runs a script with the Bun that npm installed. npm may be set not to run install scripts; then
// the program is still there, in the package of its platform, only not under its usual name. Plain
// JavaScript, because Node.js reads it.
import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const modules = join(dirname(fileURLToPath(import.meta.url)), '..', 'node_modules')

/**
 * The stub that npm leaves when it did not run the install script is a shell script; the program
 * itself is not.
 */
function isProgram(path) {
  if (!existsSync(path)) return false
  const head = Buffer.alloc(9)
  const file = openSync(path, 'r')
  readSync(file, head, 0, 9, 0)
  closeSync(file)
  return !head.toString('latin1').startsWith('#!') && !head.toString('latin1').startsWith('echo')
}

const name = process.platform === 'win32' ? 'bun.exe' : 'bun'
const platforms = existsSync(join(modules, '@oven')) ? readdirSync(join(modules, '@oven')) : []
const candidates = [
  join(modules, 'bun', 'bin', 'bun.exe'),
  ...platforms.map((platform) => join(modules, '@oven', platform, 'bin', name)),
]
const bun = candidates.find(isProgram)
if (!bun) {
  console.error('Bun is not installed here: run `npm ci` first.')
  process.exit(1)
}
// Bun's cache of transpiled files keeps what macros gave, so a changed page of the guide would not
// show, and it has been seen to keep a file whose macros had not run. It saves little.
const env = { BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0', ...process.env }
const child = spawn(bun, process.argv.slice(2), { stdio: 'inherit', env })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
