(function_declaration name: (identifier) @name parameters: (_) @head) @definition.function
(function_declaration name: (dot_index_expression table: (_) @owner field: (_) @name) parameters: (_) @head)
  @definition.function
((function_declaration name: (method_index_expression table: (_) @owner method: (_) @name) parameters: (_) @head)
  @definition.method (#set! joint ":"))

(assignment_statement
  (variable_list name: [(identifier) @name (dot_index_expression field: (_) @name)])
  (expression_list value: (function_call name: (identifier) @_loads))
  (#among? @_loads "require" "dofile" "loadfile")) @ignored
(variable_declaration (assignment_statement
  (variable_list name: (identifier) @name) (expression_list value: (function_definition parameters: (_) @head))))
  @definition.function
(assignment_statement
  (variable_list name: [(identifier) @name (dot_index_expression table: (_) @owner field: (_) @name)])
  (expression_list value: (function_definition parameters: (_) @head))) @definition.function
; Declarations of several names are shown without values.
((variable_declaration (assignment_statement (variable_list . name: (identifier) @name . ",")))
  @definition.variable (#set! signature "local {name}"))
((variable_declaration (assignment_statement (variable_list "," . name: (identifier) @name)))
  @definition.variable (#set! signature "local {name}"))
((variable_declaration (assignment_statement (variable_list name: (identifier) @name)))
  @definition.constant (#seen? @name "^(?=..)[^a-z]*[A-Z][^a-z]*$") (#set! open ""))
((variable_declaration (assignment_statement (variable_list name: (identifier) @name)))
  @definition.variable (#set! open ""))
((assignment_statement
  (variable_list name: [(identifier) @name (dot_index_expression table: (_) @owner field: (_) @name)]))
  @definition.constant (#seen? @name "^(?=..)[^a-z]*[A-Z][^a-z]*$") (#set! open ""))
((assignment_statement
  (variable_list name: [(identifier) @name (dot_index_expression table: (_) @owner field: (_) @name)]))
  @definition.variable (#set! open ""))
(expression_list (table_constructor
  (field name: (identifier) @name value: (function_definition parameters: (_) @head)) @definition.function))

((return_statement "return" @name (expression_list . (function_definition parameters: (_) @head))) @definition.function
  (#set! name "function"))

"local" @hidden
[(function_definition) (while_statement) (for_statement) (repeat_statement)] @local
(chunk (return_statement (expression_list [
  (identifier) @public
  (function_call arguments: (arguments (identifier) @public))
  (table_constructor (field value: (identifier) @public))])))
(function_call name: (identifier) @_loads arguments: (arguments . (string) @import)
  (#among? @_loads "require" "dofile" "loadfile"))
(chunk (return_statement (expression_list (table_constructor (field name: (identifier) @name
  value: [(function_call) (table_constructor) (dot_index_expression) (string) (number)]) @definition.field))))
