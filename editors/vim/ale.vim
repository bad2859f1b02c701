" ALE runs several servers in one buffer. Put this into your vimrc; g:memory_sidecar_command says how to start it.

let g:memory_sidecar_command = get(g:, 'memory_sidecar_command', 'memory-sidecar')

function! MemorySidecarRoot(buffer) abort
  let l:git = finddir('.git', fnamemodify(bufname(a:buffer), ':p:h') . ';')
  return empty(l:git) ? fnamemodify(bufname(a:buffer), ':p:h') : fnamemodify(l:git, ':p:h:h')
endfunction

function! MemorySidecarRegister() abort
  for l:language in split(&filetype, '\.')
    call ale#linter#Define(l:language, {
    \   'name': 'memory-sidecar',
    \   'lsp': 'stdio',
    \   'executable': g:memory_sidecar_command,
    \   'command': '%e serve',
    \   'project_root': function('MemorySidecarRoot'),
    \})
  endfor
endfunction

augroup memory_sidecar
  autocmd!
  autocmd FileType * call MemorySidecarRegister()
augroup END
