/** Names of jobs and steps in a file, and the names that GitHub gives to steps without one. */

const MAX_ID = 100

/** Why a name cannot be the id of a job or step; null when it can. */
export function faultOfId(id: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(id) || id.length >= MAX_ID)
    return `The identifier '${id}' is invalid. IDs may only contain alphanumeric characters, '_', and '-'. IDs must start with a letter or '_' and must be less than ${MAX_ID} characters.`
  if (id.startsWith('__'))
    return `The identifier '${id}' is invalid. IDs starting with '__' are reserved.`
  return null
}

/** `__run`, `__actions_checkout`, `__self_2`: the id of a step that has none. */
export class StepIds {
  readonly #used = new Set<string>()

  /** False when another step has it. Ids are compared without regard to case. */
  add(id: string): boolean {
    const key = id.toLowerCase()
    if (this.#used.has(key)) return false
    this.#used.add(key)
    return true
  }

  make(uses: string | null): string {
    const base = `__${(uses === null ? 'run' : nameOfUses(uses)).replace(/[^A-Za-z0-9_-]/g, '_')}`
    for (let attempt = 1; ; attempt++) {
      const suffix = attempt === 1 ? '' : `_${attempt}`
      const id = base.slice(0, MAX_ID - suffix.length) + suffix
      if (this.add(id)) return id
    }
  }
}

function nameOfUses(uses: string): string {
  if (uses.startsWith('docker://')) return uses.slice('docker://'.length)
  if (uses.startsWith('./') || uses.startsWith('.\\') || uses.startsWith('$/')) return 'self'
  const [path = '', ref, ...more] = uses.split('@')
  const [owner, name] = path.split(/[\\/]/).filter((part) => part !== '')
  return ref && more.length === 0 && owner && name ? `${owner}/${name}` : 'run'
}
