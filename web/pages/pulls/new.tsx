import { createPull } from '#features/pulls/index.ts'
import { compareCommits, getRepo, type Repo } from '#features/repos/index.ts'
import {
  Button,
  Card,
  Field,
  Form,
  FormActions,
  LinkButton,
  Notice,
  PageHead,
  TextArea,
} from '../../components/index.ts'
import { sentenceCase } from '../../format.ts'
import { comparePath, pullPath, repoPath } from '../../paths.ts'
import { form, page, redirect, type Visit } from '../../site.ts'
import { GuideLinks } from '../issues/new.tsx'
import { loadPullTemplate } from '../issues/template-load.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { BranchPicker, loadPickableBranches, type PickableNames } from '../repos/name-pickers.tsx'
import { fieldError, formError } from '../shell.tsx'
import { t } from '../../text.ts'

/** The comparison of the chosen branches, or the page that chooses them. */
const compareHref = (repo: Repo, { url: { searchParams }, form: { values } }: Visit): string => {
  const branch = values.optional('branch') ?? searchParams.get('branch') ?? ''
  const base = values.optional('base') ?? searchParams.get('base') ?? repo.default_branch
  return branch === ''
    ? repoPath(repo.full_name, '/compare')
    : comparePath(repo.full_name, base, branch)
}

/** The texts that a form begins with. */
type Proposal = { readonly title: string; readonly body: string }

/**
 * What the branch of the address proposes: the message of its only commit, else its name in words.
 * A template is kept as the description.
 */
async function loadProposal(visit: Visit, repo: Repo, template: string): Promise<Proposal> {
  const query = visit.url.searchParams
  const branch = query.get('branch') ?? ''
  if (branch === '' || repo.empty) return { title: '', body: template }
  const compared = await visit.tryCall(compareCommits, {
    repo: repo.full_name,
    basehead: `${query.get('base') ?? repo.default_branch}...${branch}`,
    per_page: 1,
  })
  const [commit] = compared?.commits ?? []
  if (compared?.ahead !== 1 || !commit)
    return {
      title: sentenceCase((branch.split('/').at(-1) ?? '').replace(/[-_]+/g, ' ')),
      body: template,
    }
  const message = commit.message.slice(commit.title.length).trim()
  return { title: commit.title.slice(0, MAX_TITLE_LENGTH), body: template || message }
}

const MAX_TITLE_LENGTH = 256

type NewPullProps = {
  visit: Visit
  repo: Repo
  heads: PickableNames
  bases: PickableNames
  proposal: Proposal
}

const BranchPickers = ({ visit, repo, heads, bases }: Omit<NewPullProps, 'proposal'>) => {
  const typed = visit.form.values
  return (
    <>
      {repo.permissions.write && (
        <BranchPicker
          name="branch"
          label={t('Head branch')}
          none={t('None: I push to a fork')}
          names={heads}
          value={typed.optional('branch') ?? visit.url.searchParams.get('branch') ?? ''}
          error={fieldError(visit, 'branch')}
        />
      )}
      <BranchPicker
        name="base"
        label={t('Base branch')}
        names={bases}
        value={typed.optional('base') ?? visit.url.searchParams.get('base') ?? repo.default_branch}
        error={fieldError(visit, 'base')}
      />
    </>
  )
}

const NewPullForm = ({ visit, repo, heads, bases, proposal }: NewPullProps) => {
  const typed = visit.form.values
  return (
    <Form
      action={repoPath(repo.full_name, '/pulls/new')}
      csrf={visit.csrf}
      error={formError(visit, 'title', 'body', 'branch', 'issue', 'base')}
    >
      <Field
        name="title"
        label={t('Title')}
        maxlength={MAX_TITLE_LENGTH}
        autofocus
        hint={t('Taken from the issue when there is one.')}
        value={typed.has('title') ? typed.text('title') : proposal.title}
        error={fieldError(visit, 'title')}
      />
      <Field
        name="issue"
        label={t('Issue')}
        type="number"
        min={1}
        hint={t('The number of the issue that it resolves.')}
        value={typed.optional('issue') ?? visit.url.searchParams.get('issue') ?? ''}
        error={fieldError(visit, 'issue')}
      />
      <BranchPickers visit={visit} repo={repo} heads={heads} bases={bases} />
      <TextArea
        name="body"
        label={t('Description')}
        rows={6}
        markdown={repo.full_name}
        value={typed.has('body') ? typed.text('body') : proposal.body}
        error={fieldError(visit, 'body')}
      />
      <FormActions>
        <Button variant="primary">{t('Create pull request')}</Button>
        <LinkButton href={compareHref(repo, visit)} variant="quiet">
          {t('Compare branches')}
        </LinkButton>
      </FormActions>
    </Form>
  )
}

export const newPullPage = page({
  path: '/:workspace/:repo/pulls/new',
  load: async (visit) => {
    const name = repoOf(visit)
    if (!visit.viewer) return redirect(`/login?next=${encodeURIComponent(visit.url.pathname)}`, 302)
    const [repo, heads, bases] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      loadPickableBranches(visit, name, 'head'),
      loadPickableBranches(visit, name, 'base'),
    ])
    const { body, guides } = await loadPullTemplate(visit, repo)
    const proposal = await loadProposal(visit, repo, body)
    return {
      repo,
      // No pull request is from the default branch to itself.
      heads: { ...heads, items: heads.items.filter((branch) => branch !== repo.default_branch) },
      bases,
      guides,
      proposal,
    }
  },
  view: ({ repo, heads, bases, guides, proposal }, visit) => {
    return (
      <RepoFrame
        visit={visit}
        repo={repo}
        title={t('New pull request')}
        current="pulls"
        width="narrow"
      >
        <PageHead
          title={t('New pull request')}
          lead={t(
            'Without a head branch you get a fork of your own. The next page shows the address to push to.',
          )}
        />
        {repo.empty ? (
          <Notice>{t('Push a first commit before you create a pull request.')}</Notice>
        ) : (
          <Card>
            <NewPullForm
              visit={visit}
              repo={repo}
              heads={heads}
              bases={bases}
              proposal={proposal}
            />
          </Card>
        )}
        <GuideLinks guides={guides} />
      </RepoFrame>
    )
  },
})

export const newPullForm = form({
  path: '/:workspace/:repo/pulls/new',
  page: newPullPage,
  operation: createPull,
  input: (fields, visit) => {
    const issue = fields.optional('issue')
    return {
      repo: repoOf(visit),
      title: fields.optional('title'),
      body: fields.optional('body'),
      branch: fields.optional('branch'),
      base: fields.optional('base'),
      ...(issue === undefined ? {} : { issue: Number(issue) }),
    }
  },
  done: ({ pull }) => pullPath(pull.repo, pull.number),
})
