export const workspacesTexts = {
  title: 'Choose a workspace',
  description: 'Connectors, workflows, jobs and keys belong to one workspace each.',
  none: {
    title: 'You are in no workspace yet',
    text: 'Ask an administrator of your organisation for an invitation.',
    make: 'Make the first one below.',
  },
  new: 'New workspace',
  name: 'Name',
  create: 'Create workspace',
  nameMissing: 'Give it a name.',
}
