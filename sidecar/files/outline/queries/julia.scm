(module_definition name: (identifier) @name @head) @definition.module
(struct_definition (type_head . (identifier) @name) @head) @definition.struct
(struct_definition (type_head . (binary_expression . (identifier) @name)) @head) @definition.struct
(struct_definition (type_head . (parametrized_type_expression . (identifier) @name)) @head) @definition.struct
(struct_definition (type_head . (binary_expression . (parametrized_type_expression . (identifier) @name))) @head) @definition.struct
(abstract_definition (type_head . (identifier) @name) @head) @definition.type
(abstract_definition (type_head . (binary_expression . (identifier) @name)) @head) @definition.type
(abstract_definition (type_head . (parametrized_type_expression . (identifier) @name)) @head) @definition.type
(abstract_definition (type_head . (binary_expression . (parametrized_type_expression . (identifier) @name))) @head) @definition.type
(primitive_definition (type_head . (identifier) @name) @head) @definition.type
(primitive_definition (type_head . (binary_expression . (identifier) @name)) @head) @definition.type
(macro_definition (signature (call_expression . (_) @name)) @head) @definition.macro
(function_definition (signature . (identifier) @name) @head) @definition.function
(function_definition (signature . (call_expression . (_) @name)) @head) @definition.function
(function_definition (signature . (_ . (call_expression . (_) @name))) @head) @definition.function
(function_definition (signature . (_ . (_ . (call_expression . (_) @name)))) @head) @definition.function
(assignment . (call_expression . (_) @name) . (operator) . (_) @body) @definition.function
(assignment . (where_expression . (call_expression . (_) @name)) . (operator) . (_) @body) @definition.function
(assignment . (typed_expression . (call_expression . (_) @name)) . (operator) . (_) @body) @definition.function
(assignment . (where_expression . (typed_expression . (call_expression . (_) @name))) . (operator) . (_) @body) @definition.function
(assignment . (where_expression . (where_expression . (call_expression . (_) @name))) . (operator) . (_) @body) @definition.function
(const_statement (assignment . [(identifier) (operator)] @name)) @definition.constant
(const_statement (assignment . (typed_expression . (identifier) @name))) @definition.constant
(const_statement (assignment . (open_tuple (identifier) @name))) @definition.constant
(struct_definition (typed_expression . (identifier) @name) @definition.field)
(struct_definition (type_head) (identifier) @name @definition.field)
(source_file (assignment . (identifier) @name) @definition.variable)
(macrocall_expression (macro_identifier (identifier) @_word) (macro_argument_list . (identifier) @name)
  (#among? @_word "enum")) @definition.enum
(macrocall_expression (macro_identifier (identifier) @_word) (macro_argument_list . (identifier) @name)
  (#among? @_word "userplot" "shorthands")) @definition.type
(source_file (string_literal) . (identifier) @name @definition.function)
(macrocall_expression (macro_identifier (identifier) @_word)
  (macro_argument_list . (string_literal) @name . (for_statement (for_binding) @head))
  (#among? @_word "testset")) @definition.tests
(macrocall_expression (macro_identifier (identifier) @_word)
  (macro_argument_list . (string_literal) @name . (compound_statement)? @body)
  (#among? @_word "testset")) @definition.tests

((string_literal) @doc . [
  (function_definition) (assignment) (struct_definition) (module_definition) (macrocall_expression)
  (abstract_definition) (macro_definition) (const_statement) (identifier) (primitive_definition)])
(macrocall_expression (macro_identifier (identifier) @_word) (macro_argument_list (string_literal) @doc)
  (#among? @_word "doc"))
(using_statement [(identifier) (scoped_identifier)] @import)
(using_statement (selected_import . (_) @import))
(import_statement [(identifier) (scoped_identifier)] @import)
(import_statement (selected_import . (_) @import))
(call_expression . (identifier) @_word (argument_list . (string_literal) @import) (#among? @_word "include"))
