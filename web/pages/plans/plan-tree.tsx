// The issues of a plan, each below what it waits for.
import { depthsOf, type Plan, type PlanIssue } from '#features/plans/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { Checkbox, Chip, WrittenText } from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { issuePath } from '../../paths.ts'
import { rich, t } from '../../text.ts'
import { SIZE_LABELS } from './plan-status.tsx'

const MAX_DEPTH = 3

const IssueFacts = ({ issue }: { issue: PlanIssue }) => (
  <div class="row-meta">
    {issue.depends_on.length > 0 && (
      <span>{t('After {positions}', { positions: issue.depends_on.join(', ') })}</span>
    )}
    <span>{SIZE_LABELS[issue.size]}</span>
    {issue.labels.map((label) => (
      <Chip icon="tag">{label}</Chip>
    ))}
    {issue.checks.map((command) => (
      <code>{command}</code>
    ))}
    {issue.paths.map((path) => (
      <code>{path}</code>
    ))}
  </div>
)

const titleOf = (repo: Repo, issue: PlanIssue): Child =>
  issue.number === null ? (
    <>
      {issue.position}. <strong>{issue.title}</strong>
      {issue.kept === false && (
        <>
          {' '}
          <Chip>{t('left out')}</Chip>
        </>
      )}
    </>
  ) : (
    <>
      {issue.position}.{' '}
      <a class="row-link" href={issuePath(repo.full_name, issue.number)}>
        {rich('{title} #{number}', { title: issue.title, number: String(issue.number) })}
      </a>
    </>
  )

/** With `choice`, each issue has a tick that keeps it. */
export const PlanTree = ({ repo, plan, choice }: { repo: Repo; plan: Plan; choice?: boolean }) => {
  const depths = depthsOf(plan.issues)
  const depthOf = ({ position }: PlanIssue) => Math.min(depths.get(position) ?? 0, MAX_DEPTH)
  const inOrder = plan.issues.toSorted(
    (a, b) =>
      (depths.get(a.position) ?? 0) - (depths.get(b.position) ?? 0) || a.position - b.position,
  )
  return (
    <ul class="plan-tree">
      {inOrder.map((issue) => (
        <li class={`plan-depth-${depthOf(issue)}`}>
          {choice ? (
            <Checkbox
              name="keep"
              value={String(issue.position)}
              label={titleOf(repo, issue)}
              checked
            />
          ) : (
            <p>{titleOf(repo, issue)}</p>
          )}
          <IssueFacts issue={issue} />
          {issue.body !== '' && <WrittenText muted>{issue.body}</WrittenText>}
        </li>
      ))}
    </ul>
  )
}
