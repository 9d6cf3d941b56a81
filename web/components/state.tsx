// States are told by a shape and a word, never by colour alone.
import type { Child } from '../jsx/html.ts'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'good' | 'bad' | 'wait' | 'done' | 'info' | 'plain'

interface Look {
  icon: IconName
  tone: Tone
  word: string
}

export const issueLook = (issue: { state: string; reason?: string | null }): Look => {
  if (issue.state === 'open') return { icon: 'issue', tone: 'good', word: 'Open' }
  if (issue.reason === 'not_planned')
    return { icon: 'issue-skipped', tone: 'plain', word: 'Not planned' }
  return { icon: 'issue-closed', tone: 'done', word: 'Closed' }
}

export const pullLook = (status: string): Look => {
  if (status === 'draft') return { icon: 'pull-draft', tone: 'plain', word: 'Draft' }
  if (status === 'merged') return { icon: 'merge', tone: 'done', word: 'Merged' }
  if (status === 'closed') return { icon: 'pull-closed', tone: 'bad', word: 'Closed' }
  return { icon: 'pull', tone: 'good', word: 'Open' }
}

const checkLooks: Record<string, Look> = {
  passed: { icon: 'check', tone: 'good', word: 'Checks passed' },
  success: { icon: 'check', tone: 'good', word: 'Succeeded' },
  failed: { icon: 'close', tone: 'bad', word: 'Checks failed' },
  failure: { icon: 'close', tone: 'bad', word: 'Failed' },
  errored: { icon: 'warning', tone: 'bad', word: 'Checks could not run' },
  error: { icon: 'warning', tone: 'bad', word: 'Could not run' },
  pending: { icon: 'clock', tone: 'wait', word: 'Checks running' },
  queued: { icon: 'clock', tone: 'plain', word: 'Queued' },
  running: { icon: 'refresh', tone: 'wait', word: 'Running' },
  testing: { icon: 'refresh', tone: 'wait', word: 'Testing' },
  landing: { icon: 'merge', tone: 'wait', word: 'Landing' },
  landed: { icon: 'merge', tone: 'done', word: 'Landed' },
  removed: { icon: 'close', tone: 'plain', word: 'Removed' },
  cancelled: { icon: 'stop', tone: 'plain', word: 'Cancelled' },
  skipped: { icon: 'issue-skipped', tone: 'plain', word: 'Skipped' },
}

/** How a check, a run or a queue entry is shown; an unknown word is shown as it is. */
export const checkLook = (status: string): Look =>
  checkLooks[status] ?? { icon: 'circle', tone: 'plain', word: status }

/** A state as a filled badge, for the head of a page. */
export const Badge = ({
  icon,
  tone = 'plain',
  children,
}: {
  icon?: IconName
  tone?: Tone
  children?: Child
}) => (
  <span class={['badge', `tone-${tone}`]}>
    {icon && <Icon name={icon} />}
    {children}
  </span>
)

export const IssueState = ({ issue }: { issue: { state: string; reason?: string | null } }) => {
  const look = issueLook(issue)
  return (
    <Badge icon={look.icon} tone={look.tone}>
      {look.word}
    </Badge>
  )
}

export const PullState = ({ status }: { status: string }) => {
  const look = pullLook(status)
  return (
    <Badge icon={look.icon} tone={look.tone}>
      {look.word}
    </Badge>
  )
}

/**
 * The result of checks as a small mark with its word. `none` shows nothing. `bare` keeps the word
 * for listeners and hovering.
 */
export const CheckState = ({
  status,
  bare,
  href,
}: {
  status: string
  bare?: boolean
  href?: string
}) => {
  if (status === 'none') return null
  const look = checkLook(status)
  const inside = bare ? (
    <Icon name={look.icon} label={look.word} />
  ) : (
    [<Icon name={look.icon} />, <span>{look.word}</span>]
  )
  const classes = ['check-state', `tone-${look.tone}`]
  return href ? (
    <a class={classes} href={href} title={bare ? look.word : undefined}>
      {inside}
    </a>
  ) : (
    <span class={classes} title={bare ? look.word : undefined}>
      {inside}
    </span>
  )
}

/** A small outlined word: private, archived, protected. */
export const Chip = ({
  icon,
  tone,
  children,
}: {
  icon?: IconName
  tone?: Tone
  children?: Child
}) => (
  <span class={['chip', tone && `tone-${tone}`]}>
    {icon && <Icon name={icon} size={14} />}
    {children}
  </span>
)
