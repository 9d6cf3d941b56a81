/** The workflow that a new file below `.hearth/workflows/` begins with on the website. */
export const FIRST_WORKFLOW = `name: Test
on: [push, pull_request]

jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      # The command that tests this repository:
      - run: make test
`
