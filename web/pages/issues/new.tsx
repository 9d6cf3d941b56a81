import { createIssue, listLabels } from '#features/issues/index.ts'
import { getRepo } from '#features/repos/index.ts'
import {
  Button,
  Card,
  Field,
  Form,
  FormActions,
  PageHead,
  TextArea,
} from '../../components/index.ts'
import { issuePath, repoPath } from '../../paths.ts'
import { form, page, redirect } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'

export const newIssuePage = page({
  path: '/:workspace/:repo/issues/new',
  load: async (visit) => {
    const name = repoOf(visit)
    if (!visit.viewer) return redirect(`/login?next=${encodeURIComponent(visit.url.pathname)}`, 302)
    const [repo, labels] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      visit.call(listLabels, { repo: name, per_page: 100 }),
    ])
    return { repo, labels: labels.items }
  },
  view: ({ repo, labels }, visit) => {
    const typed = visit.form.values
    return (
      <RepoFrame visit={visit} repo={repo} title="New issue" current="issues" width="narrow">
        <PageHead title="New issue" />
        <Card>
          <Form
            action={repoPath(repo.full_name, '/issues/new')}
            csrf={visit.csrf}
            error={formError(visit, 'title', 'body', 'labels', 'checks')}
          >
            <Field
              name="title"
              label="Title"
              required
              autofocus
              maxlength={256}
              hint="The problem or the goal, in one line."
              value={typed.optional('title') ?? visit.url.searchParams.get('title') ?? ''}
              error={fieldError(visit, 'title')}
            />
            <TextArea
              name="body"
              label="Description"
              rows={9}
              hint="Markdown."
              markdown={repo.full_name}
              value={typed.optional('body') ?? visit.url.searchParams.get('body') ?? ''}
              error={fieldError(visit, 'body')}
            />
            <Field
              name="labels"
              label="Labels"
              hint={
                repo.permissions.triage
                  ? 'Separated by commas; a new name makes a new label.'
                  : 'Separated by commas.'
              }
              suggestions={labels.map(({ name }) => name)}
              value={typed.text('labels')}
              error={fieldError(visit, 'labels')}
            />
            <TextArea
              name="checks"
              label="Acceptance checks"
              rows={3}
              mono
              hint="One command a line. A pull request is accepted when all of them pass."
              value={typed.text('checks')}
              error={fieldError(visit, 'checks')}
            />
            <FormActions>
              <Button variant="primary">Open the issue</Button>
            </FormActions>
          </Form>
        </Card>
      </RepoFrame>
    )
  },
})

export const newIssueForm = form({
  path: '/:workspace/:repo/issues/new',
  page: newIssuePage,
  operation: createIssue,
  input: (fields, visit) => {
    const labels = fields.list('labels', ',')
    const checks = fields.list('checks')
    return {
      repo: repoOf(visit),
      title: fields.text('title').trim(),
      body: fields.text('body'),
      ...(labels.length > 0 ? { labels } : {}),
      ...(checks.length > 0 ? { checks } : {}),
    }
  },
  done: (issue) => issuePath(issue.repo, issue.number),
})
