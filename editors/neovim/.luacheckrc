std = 'luajit'
cache = false
codes = true
max_line_length = 120
read_globals = { 'vim', 'Snacks' }
globals = { 'vim.g', 'vim.b', 'vim.bo', 'vim.wo', 'vim.o' }
files['lua/memory_sidecar/protocol.lua'] = { max_line_length = false }
