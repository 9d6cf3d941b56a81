/**
 * The runtimes that executables are made of, one for each kind of machine, from the packages that
 * package-lock.json names. A package whose digest is not the locked one is refused.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Lock } from '../spdx.ts'

/** What Bun calls each target, and the package with its runtime. */
export const TARGETS = {
  'linux-x64': '@oven/bun-linux-x64',
  'linux-arm64': '@oven/bun-linux-aarch64',
  'linux-x64-musl': '@oven/bun-linux-x64-musl',
  'linux-arm64-musl': '@oven/bun-linux-aarch64-musl',
  'darwin-x64': '@oven/bun-darwin-x64',
  'darwin-arm64': '@oven/bun-darwin-aarch64',
  'windows-x64': '@oven/bun-windows-x64',
} as const
export type Target = keyof typeof TARGETS

export const isTarget = (name: string): name is Target => Object.hasOwn(TARGETS, name)

/**
 * Whether the bytes are those that npm's `integrity` (Subresource Integrity, one digest) speaks of.
 */
export function hasIntegrity(bytes: Uint8Array, integrity: string): boolean {
  const [algorithm = '', digest = ''] = integrity.split(/-(.*)/s)
  return (
    ['sha512', 'sha384', 'sha256'].includes(algorithm) &&
    createHash(algorithm).update(bytes).digest('base64') === digest
  )
}

/**
 * Gives the path of a target's runtime, fetched into `cache` unless it is there. Gives an Error
 * when the lock does not name it, names another release than the Bun that builds, or when what came
 * is something else.
 */
export function runtimeFor(target: Target, lock: Lock, cache: string): string {
  const name = TARGETS[target]
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {}
  if (version === undefined || integrity === undefined)
    throw new Error(`package-lock.json does not name ${name}`)
  if (version !== Bun.version)
    throw new Error(`package-lock.json names ${name} ${version}, and this is Bun ${Bun.version}`)
  mkdirSync(cache, { recursive: true })
  const archive = join(cache, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
  if (!existsSync(archive))
    execFileSync('npm', ['pack', '--silent', '--pack-destination', cache, `${name}@${version}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  if (!hasIntegrity(readFileSync(archive), integrity)) {
    rmSync(archive)
    throw new Error(
      `what came as ${name} ${version} is not what package-lock.json names; it was removed`,
    )
  }
  const folder = join(cache, `${target}-${version}`)
  const program = join(folder, 'package', 'bin', target.startsWith('windows') ? 'bun.exe' : 'bun')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  if (!existsSync(program))
    throw new Error(`${archive} holds no ${program.slice(folder.length + 1)}`)
  return program
}
