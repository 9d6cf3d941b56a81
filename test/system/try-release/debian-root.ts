/**
 * A small Debian in a folder, to install packages in and to make images from. Needs root and
 * debootstrap.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 ** 2,
  })

/** Why there can be none here; null when there can. */
export function whyNoRoot(): string | null {
  if (process.getuid?.() !== 0) return 'only root can change into another root'
  for (const program of ['debootstrap', 'chroot', 'mount'])
    if (!Bun.which(program)) return `${program} is not installed`
  return null
}

/** Makes it, or takes it from a tar file that is kept for the next time. */
export function makeRoot(root: string, kept: string): void {
  run('mkdir', '-p', root)
  if (!existsSync(kept)) {
    run('debootstrap', '--variant=minbase', 'bookworm', root)
    run('tar', '-C', root, '--exclude=./var/cache/apt/*', '-cf', `${kept}.new`, '.')
    run('mv', `${kept}.new`, kept)
  } else run('tar', '-C', root, '-xf', kept)
}

/**
 * Runs something while the root has /proc and /dev, which are taken away again whatever happens.
 */
export async function inRoot<T>(root: string, use: () => Promise<T> | T): Promise<T> {
  run('mount', '-t', 'proc', 'proc', join(root, 'proc'))
  try {
    run('mount', '--bind', '/dev', join(root, 'dev'))
    try {
      return await use()
    } finally {
      run('umount', '-l', join(root, 'dev'))
    }
  } finally {
    run('umount', '-l', join(root, 'proc'))
  }
}

/**
 * Writes a program that starts another with words of its own, followed by those that it is given
 * when `more` is set.
 */
export function wrapper(path: string, words: readonly string[], more = false): string {
  writeFileSync(
    path,
    `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')}${more ? ' "$@"' : ''}\n`,
  )
  chmodSync(path, 0o755)
  return path
}
