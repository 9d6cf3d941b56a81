// The issues of a plan, each below what it waits for.
import { depthsOf, type Plan, type PlanIssue } from '#features/plans/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { Checkbox, Chip, WrittenText } from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { issuePath, withQuery } from '../../paths.ts'
import { rich, t } from '../../text.ts'
import { SIZE_LABELS } from './plan-status.tsx'
import { planPath } from './plans.tsx'

const MAX_DEPTH = 3

/** The labels, checks, files and texts of all issues; their titles and the rest of the page have as much. */
const MAX_DETAILS_BYTES = 34_000
/** What is shown of a text whose issue has more than its share of that. */
const EXCERPT_CHARS = 200

export const IssueFacts = ({ issue }: { issue: PlanIssue }) => (
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

/** The whole of an issue; when that has more than `maxBytes`, its beginning and the link to its page. */
const IssueDetails = ({
  plan,
  issue,
  maxBytes,
}: {
  plan: Plan
  issue: PlanIssue
  maxBytes: number
}) => {
  const whole = (
    <>
      <IssueFacts issue={issue} />
      {issue.body !== '' && <WrittenText muted>{issue.body}</WrittenText>}
    </>
  )
  if (Buffer.byteLength(whole.toString()) <= maxBytes) return whole
  return (
    <>
      <IssueFacts issue={{ ...issue, labels: [], checks: [], paths: [] }} />
      {issue.body !== '' && (
        <WrittenText muted>{`${[...issue.body].slice(0, EXCERPT_CHARS).join('')} …`}</WrittenText>
      )}
      <p class="whole-text">
        <a href={planPath(plan.repo, plan.id, `/issues/${issue.position}`)}>
          {t('Show all of issue {position}', { position: issue.position })}
        </a>
      </p>
    </>
  )
}

/** With `choice`, each issue has a tick that keeps it, and the link to its form. */
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
          <IssueDetails
            plan={plan}
            issue={issue}
            maxBytes={MAX_DETAILS_BYTES / plan.issues.length}
          />
          {choice && (
            <p class="more">
              <a href={withQuery(planPath(plan.repo, plan.id), { edit: issue.position })}>
                {t('Edit issue {position}', { position: issue.position })}
              </a>
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}
