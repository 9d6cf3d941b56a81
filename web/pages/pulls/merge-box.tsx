// The merge box of a pull request.
import { defaultMessage, type PullOverview } from '#features/pulls/index.ts'
import { hasQueue } from '#features/queue/index.ts'
import type { Repo } from '#features/repos/index.ts'
import type { BranchRule } from '#features/rulesets/index.ts'
import {
  Button,
  Card,
  Checkbox,
  Form,
  FormActions,
  Icon,
  LinkButton,
  Select,
  TextArea,
} from '../../components/index.ts'
import { commitPath, pullPath } from '../../paths.ts'
import type { Fields, Visit } from '../../site.ts'
import { statusesPath, type ShownStatus } from '../code/statuses.tsx'
import { QueuedBox } from '../queue/box.tsx'
import { BlockerLine, mayGoPast, RulesLink } from '../rulesets/on-pull.tsx'
import { fieldError, formError, visitForForm } from '../shell.tsx'
import { AutoMerge, mayPush, RevertButton } from './branch-box.tsx'
import { OptionalChecks, optionalChecks } from './optional-checks.tsx'
import { rich, t, texts } from '../../text.ts'

/** How a pull request may be merged: the settings of the repository without what rules forbid. */
export type MergeOptions = {
  rules: readonly BranchRule[]
  methods: readonly string[]
  defaultMethod: string
  mayIgnoreChecks: boolean
  /** Auto-merge also waits for the approval of a person, because an agent made the pull request. */
  autoMergeWaitsForPerson: boolean
}

/** The field of the message for one method. */
export const messageField = (method: string): string => `message-${method}`

type Props = { data: PullOverview; repo: Repo; visit: Visit }

const METHOD_LABELS: Record<string, string> = texts({
  merge: 'Merge commit',
  squash: 'Squash into one commit',
  rebase: 'Rebase',
})

/** Where conflicts are shown, and resolved by those who may. */
const ConflictsLink = ({ data, repo, visit }: Props) => {
  const mayResolve = mayPush(data, repo, visit)
  return (
    <p>
      <LinkButton
        href={pullPath(repo.full_name, data.number, 'conflicts')}
        variant={mayResolve ? 'primary' : 'plain'}
        icon="merge"
      >
        {mayResolve ? t('Resolve conflicts') : t('Show conflicts')}
      </LinkButton>
    </p>
  )
}

const MergedCard = ({ data, repo, visit }: Props) => (
  <Card
    title={
      <>
        <Icon name="merge" /> {t('Merged')}
      </>
    }
  >
    <p>
      {rich('{merged_by} merged this{merge_commit_sha}.', {
        merged_by: data.merged_by,
        merge_commit_sha: data.merge_commit_sha && (
          <>
            {' '}
            {rich('as {a}', {
              a: (
                <a href={commitPath(repo.full_name, data.merge_commit_sha)}>
                  <code>{data.merge_commit_sha.slice(0, 7)}</code>
                </a>
              ),
            })}
          </>
        ),
      })}
    </p>
    <RevertButton data={data} repo={repo} visit={visit} />
  </Card>
)

const ClosedCard = ({ data, repo }: { data: PullOverview; repo: Repo }) => (
  <Card title={t('Closed')}>
    <p>
      {data.superseded_by === null
        ? t('This was closed without merging.')
        : rich('Pull request {a} was merged for the same issue.', {
            a: <a href={pullPath(repo.full_name, data.superseded_by)}>#{data.superseded_by}</a>,
          })}
    </p>
  </Card>
)

const MESSAGE_METHODS = ['merge', 'squash'] as const

/** The message of the commit that a method makes, as proposed. Only the chosen method's is shown. */
const CommitMessages = ({
  data,
  methods,
  values,
}: {
  data: PullOverview
  methods: readonly string[]
  values: Fields
}) => {
  const offered = MESSAGE_METHODS.filter((method) => methods.includes(method))
  if (offered.length === 0) return null
  const isTyped = offered.some((method) => values.has(messageField(method)))
  return (
    <details class="more merge-messages" open={isTyped}>
      <summary>{t('Edit the commit message')}</summary>
      {offered.map((method) => (
        <div class={`message-of-${method}`}>
          <TextArea
            name={messageField(method)}
            label={
              method === 'merge' ? t('Message of the merge commit') : t('Message of the commit')
            }
            unmarked
            rows={6}
            maxlength={65_536}
            value={values.optional(messageField(method)) ?? defaultMessage(method, data)}
            hint={t('Trailers for the pull request and its co-authors are added.')}
          />
        </div>
      ))}
    </details>
  )
}

const MergeForm = ({ data, repo, options, visit }: Props & { options: MergeOptions }) => {
  const action = `${pullPath(repo.full_name, data.number)}/merge`
  const { values } = visit.form
  const mayIgnoreChecks =
    options.mayIgnoreChecks && data.blockers.some(({ code }) => code === 'checks_failed')
  const isQueued = hasQueue(visit.hearth, repo.id, data.base.ref)
  const isBlocked = data.blockers.some(({ code }) => code !== 'checks_failed' || !mayIgnoreChecks)
  return (
    <Form
      action={action}
      csrf={visit.csrf}
      label={t('Merge')}
      error={formError(visitForForm(visit, action), 'method')}
    >
      <Select
        name="method"
        label={t('Merge method')}
        required
        options={options.methods.map((value) => ({
          value,
          label: METHOD_LABELS[value] ?? value,
        }))}
        value={values.optional('method') ?? options.defaultMethod}
        error={fieldError(visit, 'method')}
      />
      <CommitMessages data={data} methods={options.methods} values={values} />
      {data.issue !== null && (
        <Checkbox
          name="keep_issue_open"
          label={t('Keep issue #{number} open', { number: data.issue.number })}
          checked={values.ticked('keep_issue_open')}
        />
      )}
      {data.head && <input type="hidden" name="expected_head" value={data.head.sha} />}
      {mayIgnoreChecks && (
        <Checkbox
          name="ignore_checks"
          label={t('Merge with failed checks')}
          hint={t('The timeline and the audit log will say so.')}
          checked={values.ticked('ignore_checks')}
        />
      )}
      <FormActions>
        {mayGoPast(data.blockers, options.rules) ? (
          <Button variant="danger" icon="merge">
            {t('Bypass rules and merge')}
          </Button>
        ) : (
          <Button variant="primary" icon="merge" disabled={isBlocked}>
            {isQueued ? t('Add to the merge queue') : t('Merge')}
          </Button>
        )}
      </FormActions>
    </Form>
  )
}

/** Says that nothing blocks the merge, and what else is known about the head. */
const ReadyTitle = ({ failed, pending }: ReturnType<typeof optionalChecks>) => {
  if (failed.length > 0)
    return (
      <>
        <Icon name="warning" /> {t('Ready to merge, but checks that are not required failed')}
      </>
    )
  return (
    <>
      <Icon name="check-circle" />{' '}
      {pending.length > 0
        ? t('Ready to merge while checks that are not required run')
        : t('Ready to merge')}
    </>
  )
}

/** What a pull request needs before it can merge, and the form that merges it. */
export const MergeBox = ({
  data,
  repo,
  options,
  statuses,
  visit,
}: Props & { options: MergeOptions; statuses: readonly ShownStatus[] }) => {
  const { rules } = options
  if (data.status === 'merged') return <MergedCard data={data} repo={repo} visit={visit} />
  if (data.status === 'closed') return <ClosedCard data={data} repo={repo} />
  if (data.queue !== null) return <QueuedBox data={data} repo={repo} visit={visit} />
  const optional = optionalChecks(statuses, rules)
  return (
    <Card
      title={data.blockers.length === 0 ? <ReadyTitle {...optional} /> : t('Merging is blocked')}
    >
      {data.blockers.length > 0 && (
        <ul class="bare-list">
          {data.blockers.map((blocker) => (
            <BlockerLine blocker={blocker} />
          ))}
        </ul>
      )}
      <OptionalChecks
        {...optional}
        allHref={statusesPath(repo.full_name, data.head?.sha ?? '', data.number)}
      />
      {data.behind.conflicts === true && <ConflictsLink data={data} repo={repo} visit={visit} />}
      <RulesLink repo={repo.full_name} base={data.base.ref} rules={rules} />
      {visit.viewer !== null && repo.permissions.write && data.status === 'open' && (
        <MergeForm data={data} repo={repo} options={options} visit={visit} />
      )}
      <AutoMerge
        data={data}
        repo={repo}
        visit={visit}
        waitsForPerson={options.autoMergeWaitsForPerson}
      />
    </Card>
  )
}
