/** Actions by subject, for the filter. */
export const actionKinds: Record<string, string[]> = {
  connectors: [
    ...['create_source', 'change_source', 'delete_source', 'check_source', 'create_destination'],
    ...['change_destination', 'delete_destination', 'check_destination', 'create_index', 'delete_index'],
    ...['verify_index', 'start_repair', 'repair_index', 'make_sample', 'try_sample', 'make_sandbox'],
    'delete_sandbox',
  ],
  workflows: ['create_workflow', 'change_workflow', 'delete_workflow', 'preview'],
  jobs: [
    ...['run_workflow', 'sync_permissions', 'process_files', 'stop_job', 'retry_job', 'retry_jobs'],
    'approve_deletions',
  ],
  searches: [
    ...['search', 'search_as', 'read', 'read_as', 'explain', 'explain_as', 'tokens_as', 'list_readers'],
    ...['view_document', 'view_document_changes', 'native_query', 'native_query_as'],
  ],
  keys: [
    ...['create_key', 'reveal_key', 'enable_key', 'disable_key', 'delete_key', 'create_personal_token'],
    ...['delete_personal_token', 'restore_key', 'restore_personal_token'],
  ],
  people: [
    ...['invite', 'take_back_invitation', 'accept_invitation', 'join_as_reader', 'change_role'],
    ...['remove_member', 'leave_workspace', 'make_reset_link', 'reset_password', 'change_password'],
    ...['end_password', 'end_session', 'change_name', 'change_email'],
  ],
}
