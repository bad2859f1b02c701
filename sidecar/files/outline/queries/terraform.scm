(block . (identifier) @_word . (string_lit (template_literal) @name) . (string_lit) @name . (block_start) @body (#among? @_word "resource")) @definition.resource
(block . (identifier) @_word . (string_lit (template_literal) @name) . (string_lit) @name . (block_start) @body (#among? @_word "data")) @definition.data
(block . (identifier) @_word . (string_lit (template_literal) @name) . (block_start) @body (#among? @_word "module")) @definition.module
(block . (identifier) @_word . (string_lit (template_literal) @name) . (block_start) @body (#among? @_word "variable")) @definition.variable-block
(block . (identifier) @_word . (string_lit (template_literal) @name) . (block_start) @body (#among? @_word "output")) @definition.output
(block . (identifier) @_word . (string_lit (template_literal) @name) . (block_start) @body (#among? @_word "provider")) @definition.provider
(block . (identifier) @name . (string_lit)* @name . (block_start) @body
  (#not-among? @name "resource" "data" "module" "variable" "output" "provider" "content")) @definition.block
(config_file (body (attribute . (identifier) @name) @definition.key))
((block . (identifier) @_word (body (attribute . (identifier) @name) @definition.key))
  (#among? @_word "locals") (#set! open ""))
(block . (identifier) @_word (body (attribute (expression (collection_value (object (object_elem
  key: (expression (variable_expr (identifier) @name))) @definition.key))))) (#among? @_word "locals"))
