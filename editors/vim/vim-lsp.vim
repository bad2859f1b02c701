" vim-lsp runs several servers in one buffer. Put this into your vimrc.

augroup memory_sidecar
  autocmd!
  autocmd User lsp_setup call lsp#register_server({
  \   'name': 'memory-sidecar',
  \   'cmd': {info -> ['memory-sidecar', 'serve']},
  \   'root_uri': {info -> lsp#utils#path_to_uri(
  \     lsp#utils#find_nearest_parent_file_directory(lsp#utils#get_buffer_path(), '.git/'))},
  \   'allowlist': ['*'],
  \})
augroup END
