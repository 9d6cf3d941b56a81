import { createPull } from '#features/pulls/index.ts'
import { getRepo, listBranches, type Repo } from '#features/repos/index.ts'
import {
  Button,
  Card,
  Field,
  Form,
  FormActions,
  LinkButton,
  Notice,
  PageHead,
  Select,
  TextArea,
} from '../../components/index.ts'
import { comparePath, pullPath, repoPath } from '../../paths.ts'
import { form, page, redirect, type Visit, type OutputOf } from '../../site.ts'
import { GuideLinks } from '../issues/new.tsx'
import { loadPullTemplate } from '../issues/template-load.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
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

type NewPullProps = {
  visit: Visit
  repo: Repo
  branches: OutputOf<typeof listBranches>['items']
  /** The text to begin with. */
  template?: string
}

const BranchSelects = ({ visit, repo, branches }: NewPullProps) => {
  const typed = visit.form.values
  const heads = branches.filter((branch) => !branch.default)
  return (
    <>
      {repo.permissions.write && (
        <Select
          name="branch"
          label={t('Head branch')}
          options={[
            { value: '', label: t('None: I push to a fork') },
            ...heads.map(({ name }) => ({ value: name, label: name })),
          ]}
          value={typed.optional('branch') ?? visit.url.searchParams.get('branch')}
          error={fieldError(visit, 'branch')}
        />
      )}
      <Select
        name="base"
        label={t('Base branch')}
        required
        options={branches.map(({ name }) => ({ value: name, label: name }))}
        value={typed.optional('base') ?? visit.url.searchParams.get('base') ?? repo.default_branch}
        error={fieldError(visit, 'base')}
      />
    </>
  )
}

const NewPullForm = ({ visit, repo, branches, template = '' }: NewPullProps) => {
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
        maxlength={256}
        autofocus
        hint={t('Taken from the issue when there is one.')}
        value={typed.text('title')}
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
      <BranchSelects visit={visit} repo={repo} branches={branches} />
      <TextArea
        name="body"
        label={t('Description')}
        rows={6}
        markdown={repo.full_name}
        value={typed.has('body') ? typed.text('body') : template}
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
    const [repo, branches] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      visit.call(listBranches, { repo: name, per_page: 100 }),
    ])
    return { repo, branches: branches.items, ...(await loadPullTemplate(visit, repo)) }
  },
  view: ({ repo, branches, body, guides }, visit) => {
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
            <NewPullForm visit={visit} repo={repo} branches={branches} template={body} />
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
