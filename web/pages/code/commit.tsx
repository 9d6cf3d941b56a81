import { listCrossReferences } from '#features/notifications/index.ts'
import { getSession } from '#features/pulls/index.ts'
import {
  getCommit,
  getRepo,
  listCommitRefs,
  type CommitDetail,
  type Repo,
} from '#features/repos/index.ts'
import {
  Badge,
  Button,
  Card,
  Chip,
  EmptyState,
  Facts,
  firstItems,
  htmlBytes,
  Icon,
  LinkButton,
  Notice,
  PageHead,
  ActorLink,
  RelativeTime,
  TextBeginning,
} from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { codePath, commitPath, comparePath, pullPath } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { commitMessagePath, commitRefsPath, RefLink } from './commit-texts.tsx'
import { HiddenAnnotations, loadAnnotations, placeAnnotations } from './annotations.tsx'
import {
  ChangeView,
  choiceInput,
  readAtLocation,
  readChoice,
  showPart,
  type ChangeChoice,
} from './change-view.tsx'
import { StatusList, statusesOf, statusesPath } from './statuses.tsx'
import { rich, t, texts } from '../../text.ts'

/** At most this many tags that contain the commit are shown at once. */
const FEW = 3
/** What more of them have in the HTML, and the link of each beside its name, which it has twice. */
const MAX_NAMES_BYTES = 3_000
const NAME_BYTES = 320
/** What the page shows of the message. */
const MAX_MESSAGE_BYTES = 8_000

const Names = ({
  repo,
  sha,
  names,
  icon,
}: {
  repo: Repo
  sha: string
  names: readonly string[]
  icon: 'branch' | 'tag'
}) => {
  const link = (name: string): Child => (
    <>
      <RefLink repo={repo} name={name} icon={icon} />{' '}
    </>
  )
  const more = names.slice(FEW)
  const shown = firstItems(more, MAX_NAMES_BYTES, (name) => NAME_BYTES + 2 * htmlBytes(name))
  return (
    <>
      {names.slice(0, FEW).map(link)}
      {more.length > 0 && (
        <details class="inline-more">
          <summary>{rich('and {names} more', { names: more.length })}</summary>
          {shown.map(link)}
          {shown.length < more.length && (
            <a href={commitRefsPath(repo.full_name, sha)}>{t('All branches and tags')}</a>
          )}
        </details>
      )}
    </>
  )
}

/** A commit is compared with its first parent. */
const placeOf = (repo: string, { sha, parents }: CommitDetail) => ({
  repo,
  sha,
  from: parents[0] ?? null,
})

async function loadCommit(visit: Visit) {
  const name = repoOf(visit)
  const read = (choice: ChangeChoice) =>
    visit.call(getCommit, {
      repo: name,
      ref: visit.params.sha ?? '',
      patch: true,
      ...choiceInput(choice),
    })
  const [repo, { change: commit, choice }] = await Promise.all([
    visit.call(getRepo, { repo: name }),
    readAtLocation(visit, readChoice(visit.url), read, (change) => placeOf(name, change)),
  ])
  const target = { repo: name, sha: commit.sha }
  const home = name.split('/').slice(0, 2).join('/')
  const [shown, statuses, refs, references, session, annotations] = await Promise.all([
    showPart(visit, placeOf(name, commit), commit.files, choice),
    statusesOf(visit, name, commit.sha),
    choice.only === '' ? visit.call(listCommitRefs, target) : null,
    home === name && choice.only === ''
      ? visit.tryCall(listCrossReferences, { repo: name, target: commit.sha })
      : null,
    commit.pull === null
      ? null
      : visit.tryCall(getSession, { repo: home, number: commit.pull, per_page: 1 }),
    loadAnnotations(visit, { repo: home, sha: commit.sha }),
  ])
  return {
    repo,
    home,
    commit,
    shown,
    statuses,
    refs,
    references: references?.items ?? [],
    hasSession: (session?.items.length ?? 0) > 0,
    annotations: placeAnnotations(annotations, shown, choice),
    choice,
  }
}

type Data = Awaited<ReturnType<typeof loadCommit>>
type Fact = Parameters<typeof Facts>[0]['facts'][number]

const hasOtherCommitter = (commit: CommitDetail): boolean =>
  commit.committer.email !== commit.author.email || commit.committer.name !== commit.author.name

const ParentLinks = ({ repo, commit }: Pick<Data, 'repo' | 'commit'>) => (
  <>
    {commit.parents.map((sha) => (
      <>
        <a href={commitPath(repo.full_name, sha)}>
          <code>{sha.slice(0, 7)}</code>
        </a>{' '}
        {commit.parents.length > 1 && (
          <a class="small" href={comparePath(repo.full_name, sha, commit.sha)}>
            {t('compare')}
          </a>
        )}{' '}
      </>
    ))}
  </>
)

const PullOfCommit = ({
  home,
  pull,
  hasSession,
}: {
  home: string
  pull: number
  hasSession: boolean
}) => (
  <>
    <a href={pullPath(home, pull)}>#{pull}</a>
    {hasSession && (
      <>
        {' '}
        <a href={pullPath(home, pull, 'session')}>
          <Icon name="agent" size={14} /> {t('how it was made')}
        </a>
      </>
    )}
  </>
)

const References = ({ repo, references }: Pick<Data, 'repo' | 'references'>) => (
  <>
    {references.map(({ repo: where, number, title, html_url }) => (
      <>
        <a href={html_url.replace(/^https?:\/\/[^/]+/, '')}>
          {where === repo.full_name ? '' : where}#{number} {title}
        </a>{' '}
      </>
    ))}
  </>
)

/** The facts in the commit: id, parents, committer. */
const ownFacts = ({ repo, commit }: Data): Fact[] => [
  {
    label: t('Commit'),
    value: (
      <span class="fact-copy">
        <code>{commit.sha}</code>
        <Button
          variant="quiet"
          small
          type="button"
          icon="copy"
          copy={commit.sha}
          label={t('Copy the id')}
        />
      </span>
    ),
  },
  {
    label: commit.parents.length === 1 ? t('Parent') : t('Parents'),
    value:
      commit.parents.length === 0 ? (
        t('None: the first commit')
      ) : (
        <ParentLinks repo={repo} commit={commit} />
      ),
  },
  ...(hasOtherCommitter(commit)
    ? [
        {
          label: t('Committed by'),
          value: (
            <>
              <ActorLink of={commit.committer.actor ?? { username: commit.committer.name }} />{' '}
              <RelativeTime at={commit.committer.date} />
            </>
          ),
        },
      ]
    : []),
]

/** The facts beside the commit: pull request, refs, mentions, statuses, signature. */
const factsAround = ({
  repo,
  home,
  commit,
  statuses,
  refs,
  references,
  hasSession,
}: Data): Fact[] => {
  const { branches, tags } = refs ?? { branches: [], tags: [] }
  return [
    commit.pull !== null && {
      label: t('Pull request'),
      value: <PullOfCommit home={home} pull={commit.pull} hasSession={hasSession} />,
    },
    branches.length > 0 && {
      label: branches.length === 1 ? t('Branch') : t('Branches'),
      value: <Names repo={repo} sha={commit.sha} names={branches} icon="branch" />,
    },
    tags.length > 0 && {
      label: tags.length === 1 ? t('Tag') : t('Tags'),
      value: <Names repo={repo} sha={commit.sha} names={tags} icon="tag" />,
    },
    references.length > 0 && {
      label: t('Mentioned in'),
      value: <References repo={repo} references={references} />,
    },
    statuses !== null && {
      label: t('Statuses'),
      value: (
        <StatusList
          statuses={statuses.statuses}
          allHref={statusesPath(repo.full_name, commit.sha)}
        />
      ),
    },
    commit.verification.kind !== 'none' && {
      label: t('Signature'),
      value: <SignatureMark of={commit.verification} />,
    },
  ].filter((fact) => fact !== false)
}

const CommitFacts = ({ data }: { data: Data }) => (
  <Facts facts={[...ownFacts(data), ...factsAround(data)]} />
)

const UNVERIFIED: Record<string, string> = texts({
  unknown_key: 'Signed with a key that no account has',
  invalid: 'The signature does not match this commit',
  malformed_signature: 'The signature cannot be read',
  bad_email: 'The committer’s address does not belong to the signer',
})

const SignatureMark = ({
  of: { verified, reason, signer, kind },
}: {
  of: Data['commit']['verification']
}) =>
  verified ? (
    <>
      <Badge tone="good" icon="check">
        {t('Verified')}
      </Badge>{' '}
      {signer && <ActorLink of={signer} />}
    </>
  ) : (
    <>
      <Chip>{t('Unverified')}</Chip>{' '}
      <span class="muted">
        {kind === 'gpg'
          ? t('Signed with OpenPGP, which Hearth does not verify')
          : (UNVERIFIED[reason] ?? reason)}
      </span>
    </>
  )

const CommitActions = ({
  repo,
  commit,
  here,
}: {
  repo: Repo
  commit: CommitDetail
  here: string
}) => (
  <>
    <LinkButton href={codePath(repo.full_name, 'tree', commit.sha)} small icon="folder">
      {t('Browse files')}
    </LinkButton>
    <LinkButton href={`${here}.diff`} small>
      {t('Diff')}
    </LinkButton>
    <LinkButton href={`${here}.patch`} small>
      {t('Patch')}
    </LinkButton>
  </>
)

/** The beginning of the message below its title. */
const CommitText = ({ repo, commit }: { repo: string; commit: CommitDetail }) => {
  const rest = commit.message.slice(commit.title.length).trim()
  return rest === '' ? null : (
    <p class="pre-line commit-text">
      <TextBeginning
        text={rest}
        maxBytes={MAX_MESSAGE_BYTES}
        href={commitMessagePath(repo, commit.sha)}
      />
    </p>
  )
}

export const commitPage = page({
  path: '/:workspace/:repo/commit/:sha',
  load: loadCommit,
  view: (data: Data, visit) => {
    const { repo, commit, choice } = data
    const here = commitPath(repo.full_name, commit.sha)
    return (
      <RepoFrame
        visit={visit}
        repo={repo}
        title={commit.title || t('A commit without a message')}
        current="code"
        width="wide"
      >
        <PageHead
          title={commit.title || t('(no message)')}
          lead={rich('{actor} committed {time}', {
            actor: <ActorLink of={commit.author.actor ?? { username: commit.author.name }} />,
            time: <RelativeTime at={commit.author.date} />,
          })}
          actions={<CommitActions repo={repo} commit={commit} here={here} />}
        />
        <Card>
          <CommitText repo={repo.full_name} commit={commit} />
          <CommitFacts data={data} />
        </Card>
        {commit.parents.length > 1 && (
          <Notice>
            {rich('A merge. What follows is what it brought to its first parent, {a}.', {
              a: (
                <a href={commitPath(repo.full_name, commit.parents[0] ?? '')}>
                  <code>{commit.parents[0]?.slice(0, 7)}</code>
                </a>
              ),
            })}
          </Notice>
        )}
        <HiddenAnnotations
          repo={repo.full_name}
          sha={commit.sha}
          hidden={choice.only === '' ? data.annotations.hidden : []}
        />
        {commit.files.length === 0 && choice.page === 1 && choice.path === '' ? (
          <EmptyState icon="file" title={t('No file is changed')}>
            {commit.parents.length > 1
              ? t('The merge joined histories alone.')
              : t('The commit has a message and nothing else.')}
          </EmptyState>
        ) : (
          <ChangeView
            visit={visit}
            shown={data.shown}
            totals={commit.stats ?? { files: commit.files.length, additions: 0, deletions: 0 }}
            choice={choice}
            here={here}
            place={placeOf(repo.full_name, commit)}
            options={{ annotations: data.annotations.below }}
          />
        )}
      </RepoFrame>
    )
  },
})
