/** The isolation that a machine offers to commands, as a trial run has shown. */
export type Isolation =
  | {
      readonly kind: 'bubblewrap'
      readonly version: string
      /** Whether it is installed, or brought along by this executable. */
      readonly origin: 'system' | 'bundled'
      /** `other`: the server is root, and commands run as a user that owns nothing. */
      readonly user: 'other' | 'same'
      /** Limits that the kernel enforces for all processes of a command; others are polled. */
      readonly groups: readonly ('memory' | 'processes')[]
      readonly seccomp: boolean
    }
  /** Switched off by the operator: commands run with the rights of the server. */
  | { readonly kind: 'none' }
  | { readonly kind: 'missing'; readonly reason: string }

/** One sentence for logs and pages. */
export function describeIsolation(isolation: Isolation): string {
  if (isolation.kind === 'missing') return `commands are refused: ${isolation.reason}`
  if (isolation.kind === 'none')
    return 'commands run without isolation, with the rights of this server, because checks.isolation is none'
  const held =
    isolation.groups.length === 0
      ? 'memory is watched and processes are counted'
      : `the kernel holds ${isolation.groups.join(' and ')} of a command together`
  const user = isolation.user === 'other' ? 'a user that owns nothing' : 'the user of this server'
  const origin = isolation.origin === 'system' ? 'of this system' : 'of this executable'
  return `commands are isolated by bubblewrap ${isolation.version} ${origin}, as ${user}; ${held}`
}
