import { encodePath } from '#lib/percent-encoding.ts'
import {
  getCommit,
  getRepo,
  listBranches,
  listCommits,
  listTags,
  type Branch,
  type CommitRecord,
  type Repo,
  type Tag,
} from '#features/repos/index.ts'
import {
  Button,
  Chip,
  CommitRow,
  EmptyState,
  Field,
  Form,
  Icon,
  LinkButton,
  List,
  Notice,
  PageHead,
  Pager,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import { codePath, commitPath, comparePath, pullPath, repoPath, withQuery } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import { DirectResponse, page, type Visit } from '../../site.ts'
import { loadPage, onSamePage, RowSteps } from '../row-form.tsx'
import { branchRulesPath, countRules } from '../rulesets/branch.tsx'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { locate, PathCrumbs, refsOf } from './frame.tsx'
import { RefSwitch } from './ref-switch.tsx'
import {
  BranchActions,
  BranchListParts,
  NewBranch,
  NewTag,
  refError,
  RenameBranch,
  TagActions,
} from './ref-actions.tsx'
import { rich, t, tn } from '../../text.ts'

/**
 * The name of a file before the first commit of its history, and the commit before it. Null when
 * the file was created there.
 */
async function nameBefore(
  visit: Visit,
  repo: string,
  commit: CommitRecord,
  path: string,
): Promise<{ path: string; commit: string } | null> {
  const [parent] = commit.parents
  if (parent === undefined) return null
  const { files } = await visit.call(getCommit, { repo, ref: commit.sha, patch: false })
  const old_path = files.find((file) => file.path === path)?.old_path ?? null
  return old_path === null ? null : { path: old_path, commit: parent }
}

export const commitsPage = page({
  path: '/:workspace/:repo/commits/*rest',
  load: async (visit) => {
    const located = await locate(visit, 'commits')
    if (located instanceof DirectResponse) return located
    const { name, repo, at } = located
    const number = pageNumber(visit)
    const [refs, commits] = await Promise.all([
      refsOf(visit, name),
      visit.call(listCommits, {
        repo: name,
        ref: at.sha ?? at.ref,
        ...(at.path === '' ? {} : { path: at.path }),
        page: number,
        per_page: 30,
      }),
    ])
    const first = commits.next === null && at.type === 'file' ? commits.items.at(-1) : undefined
    return {
      repo,
      at,
      refs,
      commits,
      number,
      before: first === undefined ? null : await nameBefore(visit, name, first, at.path),
    }
  },
  view: ({ repo, at, refs, commits, number, before }, visit) => {
    const here = codePath(repo.full_name, 'commits', at.ref, at.path)
    return (
      <RepoFrame
        visit={visit}
        repo={repo}
        title={at.path === '' ? t('Commits') : t('History of {path}', { path: at.path })}
        current="code"
      >
        <h1 class="unseen">
          {at.path === ''
            ? t('Commits of {ref}', { ref: at.ref })
            : t('History of {path}', { path: at.path })}
        </h1>
        <div class="code-bar">
          <RefSwitch repo={repo} refs={refs} current={at.ref} view="commits" path={at.path} />
          {at.path !== '' && <PathCrumbs repo={repo} current={at.ref} path={at.path} />}
        </div>
        <List label={t('Commits')}>
          {commits.items.map((commit) => (
            <CommitRow commit={commit} repo={repo.full_name} />
          ))}
        </List>
        {before !== null && (
          <Notice>
            {rich('The file was {path} before. <a>Its history under that name</a>', {
              path: <code>{before.path}</code>,
              a: (inner) => (
                <a href={codePath(repo.full_name, 'commits', before.commit, before.path)}>
                  {inner}
                </a>
              ),
            })}
          </Notice>
        )}
        <Pager
          newer={number > 1 ? withQuery(here, { page: number - 1 }) : null}
          older={commits.next === null ? null : withQuery(here, { page: number + 1 })}
        />
      </RepoFrame>
    )
  },
})

type BranchProps = {
  repo: Repo
  branch: Branch
  /** How many rules are in force for it; null where the visitor does not see them. */
  rules: number | null
}

const BranchMeta = ({ repo, branch, rules }: BranchProps) => (
  <>
    <span>
      <a href={commitPath(repo.full_name, branch.commit.sha)}>{branch.commit.message}</a>
    </span>
    <span>
      <RelativeTime at={branch.updated_at} />
    </span>
    {!branch.default && (
      <span>
        <a href={comparePath(repo.full_name, repo.default_branch, branch.name)}>
          {rich('{ahead} ahead, {behind} behind', { ahead: branch.ahead, behind: branch.behind })}
        </a>
      </span>
    )}
    {rules !== null && (
      <span>
        <a href={branchRulesPath(repo.full_name, branch.name)}>
          {tn('{count} rule', '{count} rules', rules)}
        </a>
      </span>
    )}
  </>
)

const BranchRow = ({
  visit,
  repo,
  branch,
  rules,
  here,
}: BranchProps & { visit: Visit; here: string }) => (
  <Row
    mark={<Icon name="branch" />}
    title={
      <>
        <a class="row-link mono" href={codePath(repo.full_name, 'tree', branch.name)}>
          {branch.name}
        </a>
        {branch.default && <Chip>{t('Default')}</Chip>}
        {branch.protected && <Chip icon="shield">{t('Protected')}</Chip>}
      </>
    }
    meta={<BranchMeta repo={repo} branch={branch} rules={rules} />}
    end={
      <>
        {branch.pull !== null ? (
          <a href={pullPath(repo.full_name, branch.pull)}>#{branch.pull}</a>
        ) : !branch.default && branch.ahead > 0 && repo.permissions.write && !repo.archived ? (
          <LinkButton
            href={withQuery(repoPath(repo.full_name, '/pulls/new'), {
              branch: branch.name,
            })}
            small
          >
            {t('Pull request')}
          </LinkButton>
        ) : null}
        <BranchActions repo={repo} branch={branch} visit={visit} here={here} />
      </>
    }
  >
    {refError(visit, 'branch', branch.name) !== null && !visit.form.values.has('new_name') && (
      <p class="field-error" role="alert">
        {refError(visit, 'branch', branch.name)}
      </p>
    )}
    <RenameBranch repo={repo} branch={branch} visit={visit} />
  </Row>
)

/** Their names are in a row many times, and have up to 255 characters. */
const REFS_PER_PAGE = 20

export const branchesPage = page({
  path: '/:workspace/:repo/branches',
  load: async (visit) => {
    const name = repoOf(visit)
    const q = (visit.url.searchParams.get('q') ?? '').trim().slice(0, 200)
    const [repo, branches] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      loadPage(visit, (page) =>
        visit.call(listBranches, {
          repo: name,
          page,
          per_page: REFS_PER_PAGE,
          ...(q === '' ? {} : { q }),
        }),
      ),
    ])
    const rules = new Map(
      await Promise.all(
        branches.items.map(
          async (branch) => [branch.name, await countRules(visit, name, branch.name)] as const,
        ),
      ),
    )
    return { repo, branches, q, rules }
  },
  view: ({ repo, branches, q, rules }, visit) => {
    const here = repoPath(repo.full_name, '/branches')
    return (
      <RepoFrame visit={visit} repo={repo} title={t('Branches')} current="code">
        <PageHead title={t('Branches')} />
        {repo.permissions.write && !repo.archived && !repo.empty && (
          <NewBranch repo={repo} visit={visit} />
        )}
        {(q !== '' || branches.page > 1 || branches.hasNext) && (
          <Form action={here} method="get" class="compare-pick" label={t('Find a branch')}>
            <Field name="q" label={t('Name')} type="search" mono value={q} maxlength={200} />
            <Button>{t('Find')}</Button>
          </Form>
        )}
        {branches.items.length === 0 ? (
          <EmptyState
            icon="branch"
            title={q === '' ? t('No branches yet') : t('No branch has {q} in its name', { q })}
            actions={
              q === '' ? undefined : <LinkButton href={here}>{t('All branches')}</LinkButton>
            }
          >
            {t('Push one, and it shows here.')}
          </EmptyState>
        ) : (
          <List label={t('Branches')}>
            {branches.items.map((branch) => (
              <BranchRow
                visit={visit}
                repo={repo}
                branch={branch}
                rules={rules.get(branch.name) ?? null}
                here={onSamePage(visit, withQuery(here, { q: q || undefined }), 'page')}
              />
            ))}
          </List>
        )}
        <RowSteps list={branches} here={withQuery(here, { q })} label={t('Pages of branches')} />
        <BranchListParts repo={repo} branches={branches.items} visit={visit} />
      </RepoFrame>
    )
  },
})

const TagMeta = ({ repo, tag }: { repo: Repo; tag: Tag }) => (
  <>
    {tag.target && (
      <span>
        <a href={commitPath(repo.full_name, tag.target)}>
          <code>{tag.target.slice(0, 7)}</code>
        </a>
      </span>
    )}
    <span>
      <RelativeTime at={tag.created_at} />
    </span>
    {tag.message && <span>{tag.message.split('\n')[0]}</span>}
    {tag.release !== null && (
      <span>
        <a href={repoPath(repo.full_name, `/releases/tag/${encodePath(tag.name)}`)}>
          {t('Release')}
        </a>
      </span>
    )}
  </>
)

const TagRow = ({ visit, repo, tag }: { visit: Visit; repo: Repo; tag: Tag }) => (
  <Row
    mark={<Icon name="tag" />}
    title={
      <>
        <a class="row-link mono" href={codePath(repo.full_name, 'tree', tag.name)}>
          {tag.name}
        </a>
        {tag.verified && <Chip icon="shield">{t('Verified')}</Chip>}
      </>
    }
    meta={<TagMeta repo={repo} tag={tag} />}
    end={<TagActions repo={repo} tag={tag} visit={visit} />}
  >
    {refError(visit, 'tag', tag.name) !== null && (
      <p class="field-error" role="alert">
        {refError(visit, 'tag', tag.name)}
      </p>
    )}
  </Row>
)

export const tagsPage = page({
  path: '/:workspace/:repo/tags',
  load: async (visit) => {
    const name = repoOf(visit)
    const q = (visit.url.searchParams.get('q') ?? '').trim().slice(0, 200)
    const [repo, tags] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      loadPage(visit, (page) =>
        visit.call(listTags, {
          repo: name,
          q,
          sort: 'version',
          page,
          per_page: REFS_PER_PAGE,
        }),
      ),
    ])
    return { repo, tags, q }
  },
  view: ({ repo, tags, q }, visit) => {
    const here = repoPath(repo.full_name, '/tags')
    return (
      <RepoFrame visit={visit} repo={repo} title={t('Tags')} current="code">
        <PageHead title={t('Tags')} lead={t('Sorted by version, the highest first.')} />
        {repo.permissions.write && !repo.archived && !repo.empty && (
          <NewTag repo={repo} visit={visit} />
        )}
        {(q !== '' || tags.page > 1 || tags.hasNext) && (
          <Form action={here} method="get" class="compare-pick" label={t('Find a tag')}>
            <Field name="q" label={t('Name')} type="search" mono value={q} maxlength={200} />
            <Button>{t('Find')}</Button>
          </Form>
        )}
        {tags.items.length === 0 ? (
          <EmptyState
            icon="tag"
            title={q === '' ? t('No tags yet') : t('No tag has {q} in its name', { q })}
            actions={q === '' ? undefined : <LinkButton href={here}>{t('All tags')}</LinkButton>}
          >
            {rich('Push one with {code}.', { code: <code>git push origin v1.0</code> })}
          </EmptyState>
        ) : (
          <List label={t('Tags')}>
            {tags.items.map((tag) => (
              <TagRow visit={visit} repo={repo} tag={tag} />
            ))}
          </List>
        )}
        <RowSteps list={tags} here={withQuery(here, { q })} label={t('Pages of tags')} />
      </RepoFrame>
    )
  },
})
