/**
 * Whether commands can be shut in here, and by what. It is tried, not assumed: the trial runs what
 * every command runs in.
 */

/** One wall, in words for the person who runs the installation. */
export type Isolation =
  | {
      readonly kind: 'bubblewrap'
      readonly version: string
      /**
       * `other` where the server is root and commands run as a user that owns nothing; `same` where
       * the server is no root itself.
       */
      readonly user: 'other' | 'same'
      /** What the kernel holds all processes of a command together to; the rest is watched. */
      readonly groups: readonly ('memory' | 'processes')[]
      readonly seccomp: boolean
    }
  /** Switched off by the operator: commands run with the rights of the server. */
  | { readonly kind: 'none' }
  | { readonly kind: 'missing'; readonly reason: string }

/** For logs and pages: one sentence. */
export function describeIsolation(isolation: Isolation): string {
  if (isolation.kind === 'missing') return `commands are refused: ${isolation.reason}`
  if (isolation.kind === 'none')
    return 'commands run without isolation, with the rights of this server, because checks.isolation is none'
  const held =
    isolation.groups.length === 0
      ? 'memory is watched and processes are counted'
      : `the kernel holds ${isolation.groups.join(' and ')} of a command together`
  return `commands are isolated by bubblewrap ${isolation.version}, as ${isolation.user === 'other' ? 'a user that owns nothing' : 'the user of this server'}; ${held}`
}
