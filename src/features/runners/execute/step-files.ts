/** The files by which a step tells something to the server. The job may have put anything there. */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandFileFault, MAX_COMMAND_FILE_BYTES } from '#actions'

/** The variable that names each file to the step. */
export const STEP_FILES = {
  env: 'GITHUB_ENV',
  path: 'GITHUB_PATH',
  output: 'GITHUB_OUTPUT',
  state: 'GITHUB_STATE',
  summary: 'GITHUB_STEP_SUMMARY',
} as const
export type StepFile = keyof typeof STEP_FILES

export const stepFileName = (kind: StepFile, step: number): string => `${kind}_${step}`

/**
 * The text of a file in a folder that the job can write to; empty when it is missing. Follows no
 * link, and opens nothing but a regular file. Throws CommandFileFault for a file that is too large.
 */
export async function readStepFile(folder: string, name: string): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(join(folder, name), flags).catch(() => null)
  if (!file) return ''
  try {
    const stat = await file.stat()
    if (!stat.isFile()) return ''
    if (stat.size > MAX_COMMAND_FILE_BYTES)
      throw new CommandFileFault(`it has ${stat.size} bytes, at most ${MAX_COMMAND_FILE_BYTES}`)
    const buffer = Buffer.alloc(stat.size)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
