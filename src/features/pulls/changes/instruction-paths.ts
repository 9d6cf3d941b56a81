/**
 * Files that say how agents and checks work. A change of them reaches every later agent and every
 * later check, so one that an agent makes needs a person's approval.
 */

/** Settings of agent programs. Those of a repository can run commands and name servers. */
export const PROGRAM_SETTINGS: readonly string[] = [
  '.claude',
  '.codex',
  '.cursor',
  '.gemini',
  '.mcp.json',
  '.opencode',
  '.qwen',
  'opencode.json',
  'opencode.jsonc',
]

/** Names that count at every level, in lower case. */
const NAMES = new Set([
  ...PROGRAM_SETTINGS,
  '.cursorrules',
  'agents.md',
  'claude.md',
  'codeowners',
  'copilot-instructions.md',
  'gemini.md',
  'qwen.md',
])

/** Workflows and their actions, in the folders of this forge and of those that a mirror follows. */
const WORKFLOWS = /^(?:\.hearth\/|\.(?:forgejo|gitea|github)\/(?:actions|workflows)\/)/

/** Of one change; the record shows them all. */
const MAX_INSTRUCTION_PATHS = 100

const isInstruction = (path: string): boolean => {
  const key = path.toLowerCase()
  return WORKFLOWS.test(key) || key.split('/').some((name) => NAMES.has(name))
}

/** The instructions among the paths of a change, in their order. */
export const instructionPathsOf = (paths: readonly string[]): string[] =>
  [...new Set(paths)].filter(isInstruction).sort().slice(0, MAX_INSTRUCTION_PATHS)
