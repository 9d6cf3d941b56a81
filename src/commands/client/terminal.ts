/** The terminal of the user, which git's helpers reach while their streams are pipes. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { isTerminalPromptAllowed } from '#src/config.ts'

/** What a process without a controlling terminal cannot open (tty(4)). */
const TERMINAL_PATH = process.platform === 'win32' ? 'CONOUT$' : '/dev/tty'

/**
 * Runs `work` with a function that writes to the terminal. Returns null without running it when
 * there is no terminal, or when `GIT_TERMINAL_PROMPT` forbids questions.
 */
export async function withTerminal<T>(
  work: (print: (text: string) => void) => Promise<T>,
): Promise<T | null> {
  if (!isTerminalPromptAllowed()) return null
  let terminal: number
  try {
    terminal = openSync(TERMINAL_PATH, 'w')
  } catch {
    return null
  }
  try {
    return await work((text) => void writeSync(terminal, text))
  } finally {
    closeSync(terminal)
  }
}
