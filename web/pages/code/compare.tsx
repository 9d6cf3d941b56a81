import {
  compareCommits,
  getBranch,
  getRepo,
  type Branch,
  type Compare,
  type Repo,
} from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import {
  Button,
  Card,
  CommitRow,
  EmptyState,
  Field,
  Form,
  Icon,
  LinkButton,
  List,
  Notice,
  PageHead,
  Row,
  Select,
  Stat,
} from '../../components/index.ts'
import { codePath, comparePath, pullPath, repoPath, withQuery } from '../../paths.ts'
import { page, redirect, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import {
  changeHref,
  ChangeView,
  choiceInput,
  readAtLocation,
  readChoice,
  showPart,
  type ChangeChoice,
  type ShownChange,
} from './change-view.tsx'
import { refsOf, type Refs } from './frame.tsx'
import { rangeOf, type Range } from './range.ts'
import { rich, t, tn } from '../../text.ts'

/** A longer list of commits is folded. */
const MAX_UNFOLDED_COMMITS = 10

const Picker = ({
  repo,
  refs,
  base,
  head,
  direct = false,
  error = null,
}: {
  repo: Repo
  refs: Refs
  base: string
  head: string
  direct?: boolean
  error?: string | null
}) => {
  const names = [...refs.branches, ...refs.tags]
  return (
    <Form
      action={repoPath(repo.full_name, '/compare')}
      method="get"
      class="compare-pick"
      label={t('What to compare')}
      error={error}
    >
      <Field
        name="base"
        label={t('Base')}
        required
        mono
        value={base}
        suggestions={names}
        maxlength={500}
      />
      <Icon name="arrow-left" label={t('with what is added by')} />
      <Field
        name="head"
        label={t('Compare')}
        required
        mono
        value={head}
        suggestionsOf="field-base"
        maxlength={500}
      />
      <Select
        name="how"
        label={t('Comparison')}
        required
        value={direct ? 'direct' : ''}
        options={[
          { value: '', label: t('Since they diverged') },
          { value: 'direct', label: t('As they are') },
        ]}
      />
      <Button>{t('Compare')}</Button>
    </Form>
  )
}

type PickerData = {
  repo: Repo
  refs: Refs
  base: string
  head: string
  direct: boolean
  error: string | null
}

/**
 * The page that chooses what to compare. It also handles its form, so that it works without the
 * browser script.
 */
export const comparePickPage = page({
  path: '/:workspace/:repo/compare',
  load: async (visit): Promise<PickerData | ReturnType<typeof redirect>> => {
    const name = repoOf(visit)
    const repo = await visit.call(getRepo, { repo: name })
    const query = visit.url.searchParams
    const base = (query.get('base') ?? '').trim() || repo.default_branch
    const head = (query.get('head') ?? '').trim()
    const direct = query.get('how') === 'direct'
    let error: string | null = null
    if (head !== '') {
      try {
        await visit.call(compareCommits, { repo: name, basehead: `${base}...${head}`, per_page: 1 })
        return redirect(comparePath(repo.full_name, base, head, direct), 302)
      } catch (thrown) {
        if (!(thrown instanceof Refusal) || thrown.status >= 500) throw thrown
        error = thrown.message
      }
    }
    return { repo, refs: await refsOf(visit, name, 100), base, head, direct, error }
  },
  view: ({ repo, refs, base, head, direct, error }, visit) => {
    const others = refs.branches.filter((name) => name !== base).slice(0, 12)
    return (
      <RepoFrame visit={visit} repo={repo} title={t('Compare')} current="code">
        <PageHead
          title={t('Compare')}
          lead={t(
            "Two branches, tags or commits. A side may also be pull/3:main, the branch of a pull request's fork.",
          )}
        />
        {repo.empty ? (
          <EmptyState icon="branch" title={t('Nothing to compare yet')}>
            {t('Push a first commit.')}
          </EmptyState>
        ) : (
          <Picker repo={repo} refs={refs} base={base} head={head} direct={direct} error={error} />
        )}
        {others.length > 0 && (
          <List
            label={t('Branches to compare')}
            head={
              <span>{rich('Recent branches, beside {base}', { base: <code>{base}</code> })}</span>
            }
          >
            {others.map((name) => (
              <Row
                mark={<Icon name="branch" />}
                title={
                  <a class="row-link mono" href={comparePath(repo.full_name, base, name)}>
                    {name}
                  </a>
                }
              />
            ))}
          </List>
        )}
      </RepoFrame>
    )
  },
})

type Compared = {
  repo: Repo
  refs: Refs
  range: Range & { base: string }
  compared: Compare
  shown: ShownChange<Compare['files'][number]>
  branch: Branch | null
  choice: ChangeChoice
}

/** The next step of a comparison: open its pull request, or create one. */
const NextStep = ({ data, visit }: { data: Compared; visit: Visit }) => {
  const { repo, range, compared, branch, refs } = data
  const number = branch?.pull ?? Number(/^pull\/(\d+):/.exec(range.head)?.[1] ?? '0')
  if (number > 0)
    return (
      <LinkButton href={pullPath(repo.full_name, number)} icon="pull">
        {rich('Pull request #{number}', { number })}
      </LinkButton>
    )
  if (
    branch === null ||
    compared.ahead === 0 ||
    !repo.permissions.write ||
    repo.archived ||
    !visit.viewer ||
    !refs.branches.includes(range.base)
  )
    return null
  return (
    <LinkButton
      href={withQuery(repoPath(repo.full_name, '/pulls/new'), {
        branch: range.head,
        base: range.base,
      })}
      variant="primary"
      icon="pull"
    >
      {t('Open a pull request')}
    </LinkButton>
  )
}

const Commits = ({ data }: { data: Compared }) => {
  const { repo, compared, choice } = data
  const { commits, ahead } = compared
  if (commits.length === 0) return null
  const rows = (
    <List label={t('Commits')}>
      {commits.map((commit) => (
        <CommitRow commit={commit} repo={repo.full_name} />
      ))}
    </List>
  )
  return (
    <details class="compare-commits" open={ahead <= MAX_UNFOLDED_COMMITS && choice.page === 1}>
      <summary>
        {tn('{count} commit', '{count} commits', ahead)}
        {commits.length < ahead && (
          <span class="muted">
            {' '}
            {rich('({commits} on this page)', { commits: commits.length })}
          </span>
        )}
      </summary>
      {rows}
    </details>
  )
}

const CompareActions = ({
  visit,
  data,
  direct,
  here,
  swapped,
}: {
  visit: Visit
  data: Compared
  direct: boolean
  here: string
  swapped: string
}) => (
  <>
    <LinkButton href={swapped} small icon="refresh">
      {t('Swap')}
    </LinkButton>
    <LinkButton href={`${here}.diff`} small>
      {t('Diff')}
    </LinkButton>
    {!direct && (
      <LinkButton href={`${here}.patch`} small>
        {t('Patch')}
      </LinkButton>
    )}
    <NextStep data={data} visit={visit} />
  </>
)

const NothingToMerge = ({
  base,
  compared,
  head,
  swapped,
}: {
  base: string
  compared: Compared['compared']
  head: string
  swapped: string
}) => (
  <EmptyState
    icon="check"
    title={
      compared.base_sha === compared.head_sha
        ? t('Both are the same commit')
        : t('{base} has all that {head} has', { base, head })
    }
    actions={
      compared.behind > 0 ? (
        <LinkButton href={swapped}>{rich('See what {base} adds', { base })}</LinkButton>
      ) : undefined
    }
  >
    {rich('There is nothing to merge from {head}.', { head: <code>{head}</code> })}
  </EmptyState>
)

const CompareLead = ({
  base,
  compared,
  head,
}: {
  base: string
  compared: Compared['compared']
  head: string
}) => (
  <>
    {rich('{head} is {commits} ahead of {base} and {behind} behind.', {
      head: <code>{head}</code>,
      commits: tn('{count} commit', '{count} commits', compared.ahead),
      base: <code>{base}</code>,
      behind: compared.behind,
    })}{' '}
    <Stat additions={compared.totals.additions} deletions={compared.totals.deletions} />
  </>
)

const DirectNotice = ({
  repo,
  base,
  choice,
  head,
}: {
  repo: Repo
  base: string
  choice: Compared['choice']
  head: string
}) => (
  <Notice>
    {rich(
      'Compared as they are: what only {base} has counts as removed. <a>Compare since they diverged</a>',
      {
        base: <code>{base}</code>,
        a: (inner) => (
          <a
            href={changeHref(comparePath(repo.full_name, base, head), choice, {
              page: 1,
              at: '',
              parts: [],
            })}
          >
            {inner}
          </a>
        ),
      },
    )}
  </Notice>
)

const placeOf = (repo: string, { direct }: Range, compared: Compare) => ({
  repo,
  sha: compared.head_sha,
  from: direct ? compared.base_sha : compared.merge_base_sha,
})

export const comparePage = page({
  path: '/:workspace/:repo/compare/*range',
  load: async (visit) => {
    const name = repoOf(visit)
    const asked = rangeOf(visit.params.range ?? '')
    if (asked === null) return null
    const repo = await visit.call(getRepo, { repo: name })
    if (asked.base === null)
      return redirect(comparePath(repo.full_name, repo.default_branch, asked.head), 302)
    const range = { ...asked, base: asked.base }
    const read = (choice: ChangeChoice) =>
      visit.call(compareCommits, {
        repo: name,
        basehead: `${range.base}...${range.head}`,
        direct: range.direct,
        ...choiceInput(choice),
      })
    const [refs, { change: compared, choice }, branch] = await Promise.all([
      refsOf(visit, name, 100),
      readAtLocation(visit, readChoice(visit.url), read, (change) => placeOf(name, range, change)),
      range.head.includes(':')
        ? null
        : visit.tryCall(getBranch, { repo: name, branch: range.head }),
    ])
    const shown = await showPart(visit, placeOf(name, range, compared), compared.files, choice)
    return { repo, refs, range, compared, shown, branch, choice }
  },
  view: (data: Compared, visit) => {
    const { repo, refs, range, compared, choice } = data
    const { base, head, direct } = range
    const here = comparePath(repo.full_name, base, head, direct)
    const swapped = comparePath(repo.full_name, head, base, direct)
    return (
      <RepoFrame
        visit={visit}
        repo={repo}
        title={t('Compare {base} with {head}', { base, head })}
        current="code"
        width="wide"
      >
        <PageHead
          title={t('Compare')}
          lead={<CompareLead base={base} compared={compared} head={head} />}
          actions={
            <CompareActions
              visit={visit}
              data={data}
              direct={direct}
              here={here}
              swapped={swapped}
            />
          }
        />
        <Picker repo={repo} refs={refs} base={base} head={head} direct={direct} />
        {compared.merge_base_sha === null && !direct && (
          <Notice kind="wait">
            {t('These two have no commit in common, so everything counts as added.')}
          </Notice>
        )}
        {direct && compared.behind > 0 && (
          <DirectNotice repo={repo} base={base} choice={choice} head={head} />
        )}
        {compared.base_sha === compared.head_sha ||
        (compared.commits.length === 0 && compared.files.length === 0 && choice.page === 1) ? (
          <Card>
            <NothingToMerge base={base} compared={compared} head={head} swapped={swapped} />
          </Card>
        ) : (
          <>
            <Commits data={data} />
            <ChangeView
              visit={visit}
              shown={data.shown}
              totals={compared.totals}
              choice={choice}
              here={here}
              place={placeOf(repo.full_name, range, compared)}
            />
          </>
        )}
        {branchHint(data)}
      </RepoFrame>
    )
  },
})

const branchHint = ({ repo, branch, range }: Compared) =>
  branch !== null && (
    <p class="muted small">
      {rich('Look at {a}.', {
        a: (
          <a href={codePath(repo.full_name, 'tree', range.head)}>
            {rich('the files of {head}', { head: <code>{range.head}</code> })}
          </a>
        ),
      })}
    </p>
  )
