/**
 * Acceptance checks: the result and the output of each command. The page is complete without the
 * browser script; with it, output is appended while commands run, and the rest is loaded again when
 * it changes.
 */
import {
  getCheckLog,
  type CheckLog,
  type CheckResult,
  type Checks,
} from '#features/checks/index.ts'
import {
  cancelPullChecks,
  readPull,
  getPullChecks,
  rerunPullChecks,
  type Pull,
} from '#features/pulls/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  Button,
  Card,
  checkStateStyle,
  CheckState,
  Duration,
  EmptyState,
  FormError,
  Icon,
  Notice,
  RelativeTime,
} from '../../components/index.ts'
import { commitPath, issuePath, pullPath, withQuery } from '../../paths.ts'
import { action, redirectWithFlash, page, type Visit } from '../../site.ts'
import {
  placesOfFindings,
  runStatuses,
  securityStatuses,
  StatusList,
  statusesPath,
  type ShownStatus,
} from '../code/statuses.tsx'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { formError } from '../shell.tsx'
import { codeOf, PullFrame } from './frame.tsx'
import { rich, t, texts, tn } from '../../text.ts'

/**
 * The length of output on the page: of failed and running commands so much, of passed ones the end.
 */
const SHOWN_BYTES = 48 * 1024

type CheckWithLog = { readonly result: CheckResult; readonly log: CheckLog | null }

const target = (visit: Visit) => ({ repo: repoOf(visit), number: numberOf(visit) ?? 0 })

async function withLog(visit: Visit, result: CheckResult): Promise<CheckWithLog> {
  const wanted = result.log_url !== null && result.status !== 'passed'
  return {
    result,
    log: wanted
      ? await visit.tryCall(getCheckLog, {
          ...target(visit),
          check: result.id,
          tail: SHOWN_BYTES,
          limit: SHOWN_BYTES,
        })
      : null,
  }
}

const isUnderWay = ({ status, results }: Pick<Checks, 'status' | 'results'>): boolean =>
  status === 'pending' && results.length > 0

/** A hash of everything but the output. */
const stateOf = ({ sha, message, status, results }: Checks): string =>
  Bun.hash(
    JSON.stringify([sha, message, status, results.map((one) => [one.id, one.status])]),
  ).toString(36)

/** The address of the event stream of these checks. */
function liveAddress(
  here: string,
  checks: Checks,
  shown: readonly CheckWithLog[],
): string | undefined {
  if (!isUnderWay(checks)) return undefined
  const running =
    shown.find(({ result }) => result.status === 'running') ??
    shown.find(({ result }) => result.status === 'queued')
  return withQuery(`${here}/live`, {
    state: stateOf(checks),
    check: running?.result.id,
    after: running?.log?.next ?? undefined,
  })
}

const RESULT_WORDS: Record<CheckResult['status'], string> = texts({
  queued: 'Queued',
  running: 'Running',
  passed: 'Passed',
  failed: 'Failed',
  errored: 'Did not finish',
  skipped: 'Skipped',
})

const ResultState = ({ status }: { status: CheckResult['status'] }) => {
  const { icon, tone } = checkStateStyle(status)
  return (
    <span class={['check-state', `tone-${tone}`]}>
      <Icon name={icon} /> {RESULT_WORDS[status]}
    </span>
  )
}

const Result = ({ shown: { result, log }, here }: { shown: CheckWithLog; here: string }) => {
  const text = log?.text ?? result.output_tail
  const logged = result.log_url !== null
  const cut =
    logged &&
    (log === null ? result.output_tail.length >= 4_000 : text.length >= SHOWN_BYTES - 4_000)
  return (
    <li class="check">
      <details open={['failed', 'errored', 'running'].includes(result.status)} id={result.id}>
        <summary>
          <Icon name="chevron-right" />
          <code class="check-command">{result.command}</code>
          <span class="check-facts">
            {result.exit_code !== null && result.exit_code !== 0 && (
              <span class="muted">{rich('exit {exit_code}', { exit_code: result.exit_code })}</span>
            )}
            {result.duration_ms !== null && <Duration milliseconds={result.duration_ms} />}
            <ResultState status={result.status} />
          </span>
        </summary>
        {cut && (
          <p class="muted small">
            {rich('The end of the output. <a>All of it</a>', {
              a: (inner) => <a href={`${here}/${result.id}.log`}>{inner}</a>,
            })}
          </p>
        )}
        {text === '' && result.status !== 'running' ? (
          <p class="muted small">
            {result.status === 'queued'
              ? t('Queued.')
              : result.status === 'skipped'
                ? t('It was not run.')
                : t('It wrote nothing.')}
          </p>
        ) : (
          <pre
            class="check-log"
            tabindex="0"
            role="group"
            aria-label={t('Output of {command}', { command: result.command })}
            id={`log-${result.id}`}
          >
            {text}
          </pre>
        )}
        {logged && !cut && text !== '' && (
          <p class="small">
            <a href={`${here}/${result.id}.log`}>{t('As plain text')}</a>
          </p>
        )}
      </details>
    </li>
  )
}

const WORDS: Record<Checks['status'], string> = texts({
  none: 'No checks',
  pending: 'Checks are running',
  passed: 'All checks passed',
  failed: 'Checks failed',
  errored: 'Checks did not finish',
})

const Actions = ({
  checks,
  pull,
  here,
  visit,
  mayRun,
  mayAllow,
}: {
  checks: Checks
  pull: Pull
  here: string
  visit: Visit
  mayRun: boolean
  mayAllow: boolean
}) => {
  if (!mayRun || pull.status !== 'open') return null
  const waits = checks.status === 'pending' && checks.message !== null
  return (
    <>
      {waits && mayAllow && (
        <ActionButton action={`${here}/rerun`} csrf={visit.csrf}>
          <Button small variant="primary">
            {t('Approve and run')}
          </Button>
        </ActionButton>
      )}
      {checks.status === 'pending' ? (
        <ActionButton action={`${here}/cancel`} csrf={visit.csrf}>
          <Button small>{t('Cancel')}</Button>
        </ActionButton>
      ) : (
        <ActionButton action={`${here}/rerun`} csrf={visit.csrf}>
          <Button small icon="refresh">
            {t('Run again')}
          </Button>
        </ActionButton>
      )}
    </>
  )
}

const asSentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`

const About = ({ checks, pull }: { checks: Checks; pull: Pull }) => (
  <p class="muted small">
    {rich('{commands} of {a}, on {sha}{merge_sha}{finished_at}', {
      commands: tn('{count} command', '{count} commands', checks.results.length),
      a: (
        <a
          href={
            pull.issue === null
              ? pullPath(pull.repo, pull.number)
              : issuePath(pull.repo, pull.issue)
          }
        >
          #{pull.issue}
        </a>
      ),
      sha: checks.sha !== null && (
        <a href={commitPath(codeOf(pull), checks.sha)}>
          <code>{checks.sha.slice(0, 7)}</code>
        </a>
      ),
      merge_sha: checks.merge_sha !== null && checks.merge_sha !== checks.sha && (
        <> {rich('merged with {ref}', { ref: <code>{pull.base.ref}</code> })}</>
      ),
      finished_at:
        checks.finished_at !== null
          ? rich(', ended {time}', { time: <RelativeTime at={checks.finished_at} /> })
          : checks.started_at !== null &&
            rich(', started {time}', { time: <RelativeTime at={checks.started_at} /> }),
    })}
  </p>
)

const Nothing = ({ pull, hasCommands }: { pull: Pull; hasCommands: boolean }) => (
  <EmptyState
    icon="check-circle"
    title={hasCommands ? t('Checks have not run yet') : t('There is nothing to check')}
  >
    {hasCommands && pull.status === 'draft'
      ? t('They run when this is marked ready.')
      : pull.issue === null
        ? t(
            'Acceptance checks are commands of an issue that must pass. This pull request is for no issue.',
          )
        : rich(
            'Acceptance checks are commands of the issue that must pass. <a>Issue #{issue}</a> has none.',
            {
              a: (inner) => <a href={issuePath(pull.repo, pull.issue ?? 0)}>{inner}</a>,
              issue: pull.issue,
            },
          )}
  </EmptyState>
)

const StatusCard = ({
  title,
  statuses,
  pull,
}: {
  title: string
  statuses: readonly ShownStatus[]
  pull: Pull
}) =>
  statuses.length === 0 ? null : (
    <Card title={title}>
      <StatusList
        statuses={statuses}
        allHref={statusesPath(pull.repo, pull.head?.sha ?? '', pull.number)}
      />
    </Card>
  )

const StatusCards = ({ pull, jobs, findings }: Pick<Data, 'pull' | 'jobs' | 'findings'>) => (
  <>
    <StatusCard title={t('Workflows')} statuses={jobs} pull={pull} />
    <StatusCard title={t('Security')} statuses={findings} pull={pull} />
  </>
)

type Data = {
  repo: Repo
  pull: Pull
  hasCommands: boolean
  checks: Checks
  shown: CheckWithLog[]
  /** The jobs of workflows on its head. */
  jobs: readonly ShownStatus[]
  /** What scanners and the review of dependencies say of its head. */
  findings: readonly ShownStatus[]
}

export const checksPage = page<Data>({
  path: '/:workspace/:repo/pull/:number/checks',
  load: async (visit) => {
    const number = numberOf(visit)
    if (number === null) return null
    const [repo, { pull, issue }, checks] = await Promise.all([
      visit.call(getRepo, { repo: repoOf(visit) }),
      visit.call(readPull, target(visit)),
      visit.call(getPullChecks, target(visit)),
    ])
    const sha = pull.head?.sha ?? null
    return {
      repo,
      pull,
      hasCommands: (issue?.checks.length ?? 0) > 0,
      checks,
      jobs: sha === null ? [] : await runStatuses(visit, repo.full_name, sha),
      findings: await securityStatuses(
        visit,
        repo.full_name,
        sha,
        placesOfFindings(repo.full_name, number),
      ),
      shown: await Promise.all(checks.results.map((result) => withLog(visit, result))),
    }
  },
  view: ({ repo, pull, hasCommands, checks, shown, jobs, findings }, visit) => {
    const here = pullPath(repo.full_name, pull.number, 'checks')
    const isAuthor =
      visit.viewer !== null &&
      [pull.author.id, pull.author.on_behalf_of?.id].includes(visit.viewer.id)
    const rights = {
      mayRun: visit.viewer !== null && !repo.archived && (isAuthor || repo.permissions.write),
      mayAllow: repo.permissions.write,
    }
    return (
      <PullFrame visit={visit} repo={repo} pull={pull} current="checks">
        <div
          class="stack"
          id="checks"
          data-live={liveAddress(here, checks, shown)}
          data-said={WORDS[checks.status]}
        >
          {formError(visit) !== null && <FormError>{formError(visit)}</FormError>}
          {checks.message !== null && (
            <Notice kind={checks.status === 'pending' ? 'wait' : 'bad'}>
              {asSentence(
                checks.status === 'pending'
                  ? t('They wait: {message}', { message: checks.message })
                  : checks.message,
              )}
            </Notice>
          )}
          <StatusCards pull={pull} jobs={jobs} findings={findings} />
          {checks.results.length === 0 && (jobs.length + findings.length === 0 || hasCommands) && (
            <Nothing pull={pull} hasCommands={hasCommands} />
          )}
          {checks.results.length > 0 && (
            <Card
              title={
                <>
                  <CheckState status={checks.status} bare /> {WORDS[checks.status]}
                </>
              }
              actions={
                <Actions checks={checks} pull={pull} here={here} visit={visit} {...rights} />
              }
              flush
            >
              <ol class="check-list">
                {shown.map((one) => (
                  <Result shown={one} here={here} />
                ))}
              </ol>
            </Card>
          )}
          {checks.results.length > 0 && <About checks={checks} pull={pull} />}
          {isUnderWay(checks) && (
            <noscript>
              <p class="muted small">{t('Reload this page to see their progress.')}</p>
            </noscript>
          )}
        </div>
      </PullFrame>
    )
  },
})

const formOf = (
  part: 'rerun' | 'cancel',
  operation: typeof rerunPullChecks | typeof cancelPullChecks,
  word: 'checks-begun' | 'checks-cancelled',
) =>
  action({
    path: `/:workspace/:repo/pull/:number/checks/${part}`,
    page: checksPage,
    submit: async (visit) => {
      await visit.call(operation, target(visit))
      return redirectWithFlash(visit, pullPath(repoOf(visit), numberOf(visit) ?? 0, 'checks'), word)
    },
  })

export const checkForms = [
  formOf('rerun', rerunPullChecks, 'checks-begun'),
  formOf('cancel', cancelPullChecks, 'checks-cancelled'),
]

export { stateOf }
