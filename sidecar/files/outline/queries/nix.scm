(binding attrpath: (attrpath) @name) @definition.key
(apply_expression function: (variable_expression name: (identifier) @_word) argument: (path_expression) @import
  (#among? @_word "import"))
(binding attrpath: (attrpath) @_name expression: (list_expression element: (path_expression) @import)
  (#among? @_name "imports"))
