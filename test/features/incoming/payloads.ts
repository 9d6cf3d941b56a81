/**
 * Events in the form that the documentation of each service shows, without members that say nothing
 * about issues.
 */

export const githubIssue = (action: string, issue: object = {}) => ({
  action,
  issue: {
    url: 'https://api.github.com/repos/octo-org/octo-repo/issues/12',
    html_url: 'https://github.com/octo-org/octo-repo/issues/12',
    number: 12,
    title: 'Spelling error in the README file',
    user: { login: 'Codertocat', id: 21031067, type: 'User' },
    labels: [],
    state: 'open',
    locked: false,
    created_at: '2026-02-15T15:20:18Z',
    updated_at: '2026-02-15T15:20:18Z',
    author_association: 'OWNER',
    body: 'It says "teh". @ada please look, fixes #1 ![beacon](https://evil.example/x.png)',
    ...issue,
  },
  repository: { id: 186853002, full_name: 'octo-org/octo-repo', private: false },
  sender: { login: 'Codertocat', id: 21031067 },
})

export const giteaIssue = (action: string, state = 'open') => ({
  action,
  number: 4,
  issue: {
    id: 31,
    html_url: 'https://gitea.example.com/team/app/issues/4',
    number: 4,
    title: 'Crash at start',
    body: 'Stack trace follows.',
    state,
    pull_request: null,
    updated_at: '2026-02-20T10:00:00Z',
  },
  repository: { id: 7, full_name: 'team/app' },
})

export const gitlabIssue = (action: string, state: string) => ({
  object_kind: 'issue',
  event_type: 'issue',
  user: { id: 1, name: 'Administrator', username: 'root' },
  project: { id: 1, path_with_namespace: 'gitlabhq/gitlab-test' },
  object_attributes: {
    id: 301,
    iid: 23,
    title: 'New API: create/update/delete file',
    description: 'Create new API for manipulations with repository',
    url: 'http://example.com/diaspora/issues/23',
    updated_at: '2026-02-27 17:24:28 UTC',
    state,
    action,
  },
})

export const jiraIssue = (webhookEvent: string, category: string) => ({
  timestamp: 1525698237764,
  webhookEvent,
  issue_event_type_name: 'issue_generic',
  issue: {
    id: '99291',
    self: 'https://jira.example.com/rest/api/2/issue/99291',
    key: 'JRA-20002',
    fields: {
      summary: 'I feel the need for speed',
      description: 'Make the issue nav load 10x faster',
      status: { name: 'Any', statusCategory: { id: 3, key: category } },
    },
  },
})

export const linearIssue = (action: string, type: string) => ({
  action,
  type: 'Issue',
  createdAt: '2026-01-23T12:53:18.084Z',
  url: 'https://linear.app/issue/LIN-1778/foo-bar',
  webhookTimestamp: 1676056940508,
  webhookId: '000042e3-d123-4980-b49f-8e140eef9329',
  data: {
    id: '539068e2-ae88-4d09-bd75-22eb4a59612f',
    identifier: 'LIN-1778',
    title: 'Foo bar',
    description: 'The details',
    state: { id: 'x', name: 'State', type },
  },
})

export const sentryIssue = (action: string, issue: object = {}) => ({
  action,
  installation: { uuid: 'a8e5d37a-696c-4c54-adb5-b3f28d64c7de' },
  data: {
    issue: {
      id: '1170820242',
      shortId: 'PYTHON-E',
      title: 'Error #2: This is a test error!',
      culprit: '__main__ in <module>',
      level: 'error',
      status: 'unresolved',
      web_url: 'https://sentry.io/organizations/test-org/issues/1170820242/',
      project: { id: '2', name: 'my-app', slug: 'my-app' },
      count: '1',
      firstSeen: '2026-02-04T18:17:18.931000Z',
      lastSeen: '2026-02-04T18:17:18.931000Z',
      ...issue,
    },
  },
  actor: { type: 'application', id: 'sentry', name: 'Sentry' },
})

/** The calls of an error in a program that was built elsewhere. */
export const sentryTrace = {
  values: [
    {
      type: 'ReferenceError',
      value: 'heck is not defined',
      stacktrace: {
        frames: [
          { filename: './src/main.js', lineno: 3, function: 'fixes #1 @bob `x`', in_app: true },
          { filename: 'webpack:///./src/cart.js', lineno: 12, function: 'total', in_app: true },
          { filename: './node_modules/lib/index.js', lineno: 1, function: 'call', in_app: false },
        ],
      },
    },
  ],
}

export const sentryAlert = {
  action: 'triggered',
  actor: { id: 'sentry', name: 'Sentry', type: 'application' },
  data: {
    event: {
      event_id: 'e4874d664c3540c1a32eab185f12c5ab',
      issue_id: '1170820242',
      title: 'ReferenceError: heck is not defined',
      culprit: '?(<anonymous>)',
      level: 'error',
      message: '',
      platform: 'javascript',
      web_url: 'https://sentry.io/organizations/test-org/issues/1170820242/events/e4874/',
    },
    triggered_rule: 'Very Important Alert Rule!',
  },
}

export const glitchtip = {
  alias: 'GlitchTip',
  text: 'GlitchTip Alert',
  attachments: [
    {
      title: 'OperationalError: server closed the connection',
      title_link: 'https://glitchtip.example.com/acme/issues/44',
      text: 'django.db.backends in execute',
      color: '#e52b50',
      fields: [{ title: 'Project', value: 'shop', short: true }],
    },
  ],
}

export const alert = (status: string, more: object = {}) => ({
  status,
  labels: { alertname: 'HighLatency', instance: 'web-1:9090', severity: 'page' },
  annotations: { summary: 'Requests are slow', description: 'p99 is 4.1 s' },
  startsAt: '2026-02-28T10:00:00.000Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'https://prometheus.example.com/graph?g0.expr=up',
  fingerprint: 'c6eadffa33fcdf37',
  ...more,
})

export const alerts = (...list: object[]) => ({
  version: '4',
  groupKey: '{}:{alertname="HighLatency"}',
  truncatedAlerts: 0,
  status: 'firing',
  receiver: 'hearth',
  groupLabels: { alertname: 'HighLatency' },
  commonLabels: { alertname: 'HighLatency' },
  commonAnnotations: {},
  externalURL: 'https://alertmanager.example.com',
  alerts: list,
})
