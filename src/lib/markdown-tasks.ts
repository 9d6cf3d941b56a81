/** The tasks of a Markdown text: list items that begin with `[ ]` or `[x]`, outside of code. */

const FENCE = /^[ >]*(`{3,}|~{3,})/
const TASK = /^([ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[)([ xX])\](?=[ \t])/

export type Task = {
  /** Where the sign between the brackets is. */
  readonly at: number
  readonly done: boolean
}

export function findTasks(text: string): Task[] {
  const tasks: Task[] = []
  let fence: string | null = null
  let start = 0
  for (const line of text.split('\n')) {
    const found = FENCE.exec(line)?.[1]
    if (fence !== null) {
      if (found?.[0] === fence[0] && (found?.length ?? 0) >= fence.length) fence = null
    } else if (found !== undefined) fence = found
    else {
      const [, before, sign] = TASK.exec(line) ?? []
      if (before !== undefined) tasks.push({ at: start + before.length, done: sign !== ' ' })
    }
    start += line.length + 1
  }
  return tasks
}

/** The text with these tasks done, by their places in the order of the text, and all others not. */
export function withTasksDone(text: string, done: ReadonlySet<number>): string {
  let out = ''
  let copied = 0
  for (const [index, { at }] of findTasks(text).entries()) {
    out += `${text.slice(copied, at)}${done.has(index) ? 'x' : ' '}`
    copied = at + 1
  }
  return out + text.slice(copied)
}
