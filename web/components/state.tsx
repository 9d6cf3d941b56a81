// States are shown by a shape and a word, never by colour alone.
import { sentenceCase } from '../format.ts'
import type { Child } from '../jsx/html.ts'
import { Icon, type IconName } from './icon.tsx'
import { localized, t } from '../text.ts'

export type Tone = 'good' | 'bad' | 'wait' | 'done' | 'info' | 'plain'

interface StateStyle {
  icon: IconName
  tone: Tone
  label: string
}

export const issueStateStyle = (issue: { state: string; reason?: string | null }): StateStyle => {
  if (issue.state === 'open') return { icon: 'issue', tone: 'good', label: t('Open') }
  if (issue.reason === 'not_planned')
    return { icon: 'issue-skipped', tone: 'plain', label: t('Not planned') }
  return { icon: 'issue-closed', tone: 'done', label: t('Closed') }
}

export const pullStateStyle = (status: string): StateStyle => {
  if (status === 'draft') return { icon: 'pull-draft', tone: 'plain', label: t('Draft') }
  if (status === 'merged') return { icon: 'merge', tone: 'done', label: t('Merged') }
  if (status === 'closed') return { icon: 'pull-closed', tone: 'bad', label: t('Closed') }
  return { icon: 'pull', tone: 'good', label: t('Open') }
}

const CHECK_STYLES: Record<string, StateStyle> = localized({
  passed: { icon: 'check', tone: 'good', label: 'Checks passed' },
  success: { icon: 'check', tone: 'good', label: 'Succeeded' },
  failed: { icon: 'close', tone: 'bad', label: 'Checks failed' },
  failure: { icon: 'close', tone: 'bad', label: 'Failed' },
  errored: { icon: 'warning', tone: 'bad', label: 'Checks could not run' },
  error: { icon: 'warning', tone: 'bad', label: 'Could not run' },
  pending: { icon: 'clock', tone: 'wait', label: 'Checks running' },
  queued: { icon: 'clock', tone: 'plain', label: 'Queued' },
  running: { icon: 'refresh', tone: 'wait', label: 'Running' },
  testing: { icon: 'refresh', tone: 'wait', label: 'Testing' },
  landing: { icon: 'merge', tone: 'wait', label: 'Landing' },
  landed: { icon: 'merge', tone: 'done', label: 'Landed' },
  removed: { icon: 'close', tone: 'plain', label: 'Removed' },
  cancelled: { icon: 'stop', tone: 'plain', label: 'Cancelled' },
  skipped: { icon: 'issue-skipped', tone: 'plain', label: 'Skipped' },
})

/**
 * The style of the state of a check, a run or a queue entry. An unknown state is shown by its own
 * word.
 */
export const checkStateStyle = (status: string): StateStyle =>
  CHECK_STYLES[status] ?? { icon: 'circle', tone: 'plain', label: status }

/** A state as a filled badge, for the heading of a page. */
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
    {typeof children === 'string' ? sentenceCase(children) : children}
  </span>
)

export const IssueState = ({ issue }: { issue: { state: string; reason?: string | null } }) => {
  const style = issueStateStyle(issue)
  return (
    <Badge icon={style.icon} tone={style.tone}>
      {style.label}
    </Badge>
  )
}

export const PullState = ({ status }: { status: string }) => {
  const style = pullStateStyle(status)
  return (
    <Badge icon={style.icon} tone={style.tone}>
      {style.label}
    </Badge>
  )
}

/**
 * The result of checks as a small mark with a word. `none` shows nothing. `bare` leaves the word to
 * screen readers and the tooltip.
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
  const style = checkStateStyle(status)
  const inside = bare ? (
    <Icon name={style.icon} label={style.label} />
  ) : (
    [<Icon name={style.icon} />, <span>{style.label}</span>]
  )
  const classes = ['check-state', `tone-${style.tone}`]
  return href ? (
    <a class={classes} href={href} title={bare ? style.label : undefined}>
      {inside}
    </a>
  ) : (
    <span class={classes} title={bare ? style.label : undefined}>
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
